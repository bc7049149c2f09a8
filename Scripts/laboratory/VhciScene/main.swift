// SPDX-License-Identifier: GPL-3.0-or-later

// vhci-scene SCENE.toml --control SOCKET: a virtual controller in a scene as an adapter of the kernel's, driven by orders
// on a socket (LaboratoryRadio/Order.swift). Runs until it is killed, and the adapter is then gone.

import Glibc
import LinuxSystem
import ManifestFormat
import SceneFormat
import VirtualRadio

func fail(_ sentence: String) -> Never {
  print("vhci-scene: \(sentence)")
  exit(1)
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 3, words[1] == "--control" else { fail("usage: vhci-scene SCENE.toml --control SOCKET") }
Signals.ignoreBrokenPipe()
do {
  let text = try FileContents(reading: words[0], byteCountMax: 1 << 24).bytes
  let reading = SceneReader.read(text: text, fileName: words[0])
  guard let scene = reading.value else { fail(reading.lines.joined(separator: "\n")) }
  let program = try StationProgram(VirtualController(scene), controlPath: words[2])
  try program.run()
} catch {
  fail("\(error)")
}
