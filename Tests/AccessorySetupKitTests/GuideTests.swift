// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import Foundation
import JSON
import SessionSupport
import Testing
import Varlink

/// The programs of the app author's guide, Sources/AccessorySetupKit/README.md.
@Suite(.timeLimit(.minutes(2))) struct GuideTests {
  private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [("swift", "lamp/main.swift"), ("python", "lamp.py")])
  func `the guide shows the programs as they are`(_ language: String, _ file: String) throws {
    let guide = try String(
      contentsOf: Self.root.appendingPathComponent("Sources/AccessorySetupKit/README.md"), encoding: .utf8)
    let program = try String(
      contentsOf: Self.root.appendingPathComponent("Scripts/examples/guide/\(file)"), encoding: .utf8)
    #expect(guide.contains("```\(language)\n\(program)```\n"))
  }

  @Test func `the Swift program survives a restart of the agent`() throws {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("lamp")
    let lines = try run(program, [])
    #expect(
      lines == [
        "activated: 0 accessories", "pickerDidPresent", "accessoryAdded: Lamp", "accessoryRemoved: Lamp",
        "accessoryAdded: Bulb",
      ])
  }

  @Test func `the Python program survives a restart of the agent`() throws {
    let script = Self.root.appendingPathComponent("Scripts/examples/guide/lamp.py").path
    let lines = try run(URL(fileURLWithPath: "/usr/bin/python3"), [script])
    #expect(
      lines == [
        "activated: 0 accessories", "pickerDidPresent", "accessoryAdded: Lamp", "again: 1 accessories",
        "accessoryChanged: Lumo",
      ])
  }

  /// Runs a program with an agent that is replaced by another after the first accessory; returns its first five lines.
  private func run(_ program: URL, _ arguments: [String]) throws -> [String] {
    let stream = Locked<SocketAgent.Connection?>(nil)
    let first = SocketAgent { call, connection in
      switch call.method {
      case "Activate":
        stream.withLock { $0 = connection }
        SocketAgent.activate(connection)
      case "ShowPicker":
        connection.send(SocketAgent.reply("{\"picker\":\"p1\"}"))
        stream.withLock { $0 }?.send(SocketAgent.event("pickerDidPresent", 40, 0, "\"picker\":\"p1\""))
        stream.withLock { $0 }?.send(
          SocketAgent.event("accessoryAdded", 30, 1, "\"accessory\":\(SocketAgent.accessory("1"))"))
      default: connection.send(SocketAgent.reply())
      }
    }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments + (arguments.isEmpty ? [] : [first.path])
    process.environment = ProcessInfo.processInfo.environment.merging(["ACCESSORYD_SOCKET": first.path]) {
      $1
    }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The program may have inherited a mask in which other signals are blocked.
    defer { kill(process.processIdentifier, SIGKILL) }
    var lines: [String] = []
    var second: SocketAgent?
    var text = ""
    while lines.count < 5 {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      text += String(decoding: data, as: UTF8.self)
      lines = text.split(separator: "\n").map(String.init)
      guard lines.count >= 3, second == nil else { continue }
      first.stop()
      second = Self.successor(at: first.path)
    }
    second?.stop()
    return Array(lines.prefix(5))
  }

  /// An agent that was restarted, and has another accessory.
  private static func successor(at path: String) -> SocketAgent {
    SocketAgent(path: path) { call, connection in
      guard call.method == "Activate" else { return connection.send(SocketAgent.reply()) }
      guard call.parameters["session"] == nil else {
        return connection.send(SocketAgent.failure("Invalidated", 400))
      }
      SocketAgent.activate(connection, [SocketAgent.accessory("2", name: "Bulb")])
      connection.send(
        SocketAgent.event(
          "accessoryChanged", 32, 0, "\"accessory\":\(SocketAgent.accessory("2", name: "Lumo"))"))
    }
  }
}
