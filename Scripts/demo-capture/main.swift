// SPDX-License-Identifier: GPL-3.0-or-later

// Writes the capture of the room in a file to standard output:
//
//     swift run make-demo-capture Config/demo-room.toml > Config/demo-room.btsnoop

import LinuxSystem
import ManifestFormat
import RoomFormat

/// What the room's file gets wrong, line by line.
struct NoRoom: Error {
  let lines: [String]
}

guard let path = CommandLine.arguments.dropFirst().first else {
  throw NoRoom(lines: ["name the room's file"])
}
let text = try FileContents(reading: path, byteCountMax: 1 << 20).bytes
let reading = RoomReader.read(text: text, fileName: path)
guard let room = reading.value else { throw NoRoom(lines: reading.lines) }
var output = OutputFile.standardOutput()
try output.write(DemoCapture.bytes(of: room))
try output.flush()
