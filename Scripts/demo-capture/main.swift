// SPDX-License-Identifier: GPL-3.0-or-later

// Writes the capture of the scene in a file to standard output:
//
//     swift run make-demo-capture Config/demo-scene.toml > Config/demo-scene.btsnoop

import LinuxSystem
import ManifestFormat
import SceneFormat
import ToolSystem

/// The diagnostics of the scene's file, line by line.
struct SceneError: Error {
  let lines: [String]
}

guard let path = CommandLine.arguments.dropFirst().first else {
  throw SceneError(lines: ["name the scene's file"])
}
let text = try FileContents(reading: path, byteCountMax: 1 << 20).bytes
let reading = SceneReader.read(text: text, fileName: path)
guard let scene = reading.value else { throw SceneError(lines: reading.lines) }
var output = OutputFile.standardOutput()
try output.write(DemoCapture.bytes(of: scene))
try output.flush()
