// SPDX-License-Identifier: GPL-3.0-or-later

// vhci-scene SCENE.toml --control SOCKET: a virtual controller in a scene as an adapter of the kernel, controlled by
// orders on a socket (LaboratoryRadio/Order.swift). Runs until it is killed, which removes the adapter.

import Glibc
import LinuxSystem
import ManifestFormat
import SceneFormat
import VirtualRadio

func fail(_ sentence: String) -> Never {
  print("vhci-scene: \(sentence)")
  exit(1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3, arguments[1] == "--control" else {
  fail("usage: vhci-scene SCENE.toml --control SOCKET")
}
Signals.ignoreBrokenPipe()
do {
  let text = try FileContents(reading: arguments[0], byteCountMax: 1 << 24).bytes
  let reading = SceneReader.read(text: text, fileName: arguments[0])
  guard let scene = reading.value else { fail(reading.lines.joined(separator: "\n")) }
  let program = try StationProgram(VirtualController(scene), controlPath: arguments[2])
  try program.run()
} catch {
  fail("\(error)")
}
