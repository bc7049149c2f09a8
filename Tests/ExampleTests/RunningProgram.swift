// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// An example app that runs as a process of its own.
final class RunningProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let statuses: AsyncStream<Int32>
  private var unread: AsyncStream<String>.Iterator
  /// Every line so far.
  private(set) var lines: [String] = []

  init(_ name: String, _ arguments: [String] = [], socket: String) throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = folder.appendingPathComponent(name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["ACCESSORYD_SOCKET": socket]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    unread = stream.makeAsyncIterator()
    let reader = output.fileHandleForReading
    Thread.detachNewThread {
      var text = ""
      while true {
        let data = reader.availableData
        guard !data.isEmpty else { break }
        text += String(decoding: data, as: UTF8.self)
        while let end = text.firstIndex(of: "\n") {
          continuation.yield(String(text[..<end]))
          text.removeSubrange(...end)
        }
      }
      continuation.finish()
    }
    let (statuses, ending) = AsyncStream.makeStream(of: Int32.self)
    self.statuses = statuses
    process.terminationHandler = { ending.yield($0.terminationStatus) }
    try process.run()
  }

  /// Writes a command, as a user at the terminal does.
  func write(_ command: String) {
    input.fileHandleForWriting.write(Data("\(command)\n".utf8))
  }

  /// Writes a command after these lines. Returns false when the program ended before.
  func write(_ command: String, after line: String, _ others: String...) async -> Bool {
    guard await waitFor([line] + others) else { return false }
    write(command)
    return true
  }

  /// Reads on until the program has printed each of these lines, in any order. Returns false when it ended before.
  func waitFor(_ expected: String...) async -> Bool { await waitFor(expected) }

  private func waitFor(_ expected: [String]) async -> Bool {
    var missing = expected
    while !missing.isEmpty {
      guard let line = await unread.next() else { return false }
      lines.append(line)
      if let index = missing.firstIndex(of: line) { missing.remove(at: index) }
    }
    return true
  }

  /// The lines with one of these beginnings, in order.
  func lines(beginning words: String...) -> [String] {
    lines.filter { line in words.contains { line.hasPrefix($0) } }
  }

  /// The exit status, as soon as the program has ended.
  func exitStatus() async -> Int32 {
    for await status in statuses { return status }
    return process.terminationStatus
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
