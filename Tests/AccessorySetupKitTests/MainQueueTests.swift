// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import Foundation
import SessionSupport
import Testing

/// Sessions on the main queue, under each kind of `main`.
@Suite(.timeLimit(.minutes(30))) struct MainQueueTests {
  @Test(arguments: [["plain-main", "dispatch"], ["plain-main", "runloop"], ["async-main"]])
  func `everything comes on the main queue, in order`(_ command: [String]) throws {
    let agent = SocketAgent(["ShowPicker": { SocketAgent.addAccessory($0) }])
    defer { agent.stop() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent(command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(["ACCESSORYD_SOCKET": agent.path]) {
      $1
    }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(
      text.split(separator: "\n") == [
        "activated, 0", "pickerDidPresent, 0", "accessoryAdded, 1", "pickerDidDismiss, 1", "showPicker: done",
      ])
  }
}
