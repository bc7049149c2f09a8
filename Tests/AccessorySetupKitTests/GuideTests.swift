// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import Foundation
import JSON
import SessionSupport
import Testing
import Varlink

/// The programs of the app author's guide, Sources/AccessorySetupKit/README.md.
@Suite(.timeLimit(.minutes(30))) struct GuideTests {
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

  /// The programs, with the arguments before the pause between their pickers.
  private static let swift = [
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("lamp")
      .path
  ]
  private static let python = [
    "/usr/bin/python3", root.appendingPathComponent("Scripts/examples/guide/lamp.py").path,
  ]

  @Test func `the Swift program survives a restart of the agent`() throws {
    let lines = try run(Self.swift, adding, replacedAfter: 3, until: { $0.count >= 5 })
    #expect(
      lines.prefix(5) == [
        "activated: 0 accessories", "pickerDidPresent", "accessoryAdded: Lamp", "accessoryRemoved: Lamp",
        "accessoryAdded: Bulb",
      ])
  }

  @Test func `the Python program survives a restart of the agent`() throws {
    let lines = try run(Self.python, adding, replacedAfter: 3, until: { $0.count >= 5 })
    #expect(
      lines.prefix(5) == [
        "activated: 0 accessories", "pickerDidPresent", "accessoryAdded: Lamp", "activated: 1 accessories",
        "accessoryChanged: Lumo",
      ])
  }

  @Test(arguments: [swift, python])
  func `a refused picker is explained, and shown again`(_ program: [String]) throws {
    let refusals = Locked(0)
    let lines = try run(
      program,
      { call, connection in
        let isRefused = refusals.withLock { count in
          if call.method == "ShowPicker" { count += 1 }
          return count == 1
        }
        guard call.method == "ShowPicker", isRefused else { return Self.add(call, connection) }
        connection.send(SocketAgent.failure("PickerRestricted", 550, field: nil))
      })
    #expect(
      Array(lines.prefix(4)) == [
        "activated: 0 accessories", "picker: why; what", "pickerDidPresent", "accessoryAdded: Lamp",
      ])
  }

  @Test(arguments: [
    ("/nowhere/io.accessoryd", "No such file or directory; start accessoryd, or "),
    ("/usr/bin/env", "Connection refused; start accessoryd; if it runs, "),
  ])
  func `without an agent the Swift program says so within seconds`(_ path: String, _ rest: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.swift[0])
    process.environment = ProcessInfo.processInfo.environment.merging(["ACCESSORYD_SOCKET": path]) { $1 }
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    defer { kill(process.processIdentifier, SIGKILL) }
    let line = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    #expect(
      line == "AccessorySetupKit: \(path) cannot be connected to: \(rest)give the path of its socket in "
        + "ACCESSORYD_SOCKET\n")
  }

  @Test(arguments: [swift, python])
  func `a picker that was open when the agent ended is shown again`(_ program: [String]) throws {
    let lines = try run(
      program, presenting, replacedAfter: 2,
      by: { path in
        SocketAgent(path: path) { call, connection in
          if call.method == "Activate", call.parameters["session"] != nil {
            connection.send(SocketAgent.failure("Invalidated", 400))
          } else {
            Self.add(call, connection)
          }
        }
      })
    #expect(lines.starts(with: ["activated: 0 accessories", "pickerDidPresent"]))
    #expect(lines.filter { $0 == "pickerDidPresent" }.count == 2 && lines.last == "accessoryAdded: Lamp")
  }

  // MARK: - The agent

  private var adding: SocketAgent.Script { { Self.add($0, $1) } }

  private var presenting: SocketAgent.Script {
    { call, connection in
      guard call.method == "ShowPicker" else { return Self.add(call, connection) }
      SocketAgent.presentPicker(connection)
    }
  }

  /// An agent that lets an accessory in as soon as it is asked.
  private static func add(_ call: Call, _ connection: SocketAgent.Connection) {
    switch call.method {
    case "Activate": SocketAgent.activate(connection)
    case "ShowPicker":
      SocketAgent.presentPicker(connection)
      connection.stream?.send(
        SocketAgent.event("accessoryAdded", 30, 1, "\"accessory\":\(SocketAgent.accessory("1"))"))
    default: connection.send(SocketAgent.reply())
    }
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

  // MARK: - Running

  /// Runs a program, without a pause between its pickers, with an agent that another may replace after some lines. Returns
  /// its lines up to the one that ends the test.
  private func run(
    _ program: [String], _ script: @escaping SocketAgent.Script, replacedAfter count: Int = .max,
    by successor: (String) -> SocketAgent = Self.successor,
    until isLast: ([String]) -> Bool = { $0.contains("accessoryAdded: Lamp") }
  ) throws -> [String] {
    let first = SocketAgent(script)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program[0])
    process.arguments = program.dropFirst() + ["0"]
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
    while !isLast(lines) {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      text += String(decoding: data, as: UTF8.self)
      lines = text.split(separator: "\n").map(String.init)
      guard lines.count >= count, second == nil else { continue }
      first.stop()
      second = successor(first.path)
    }
    (second ?? first).stop()
    return lines
  }
}
