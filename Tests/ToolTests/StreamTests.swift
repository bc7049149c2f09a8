// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import Foundation
import HCI
import TestSupport
import Testing
import VirtualRadio

/// decode on a pipe that is still open.
@Suite struct StreamTests {
  /// A running `decode -` with both ends of its pipes.
  private final class Decoder {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private var received: [UInt8] = []

    init() throws {
      process.executableURL = URL(fileURLWithPath: Tool.path)
      process.arguments = ["decode", "--json", "-"]
      process.standardInput = input
      process.standardOutput = output
      process.standardError = errors
      try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    func write(_ bytes: Data) throws { try input.fileHandleForWriting.write(contentsOf: bytes) }
    func write(_ bytes: some Sequence<UInt8>) throws {
      try input.fileHandleForWriting.write(contentsOf: Data(bytes))
    }
    func close() throws { try input.fileHandleForWriting.close() }

    /// The next line; waits for it.
    func line() throws -> String? {
      while true {
        if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
          defer { received.removeFirst(end + 1) }
          return String(decoding: received[..<end], as: UTF8.self)
        }
        let more = output.fileHandleForReading.availableData
        guard !more.isEmpty else { return nil }
        received += more
      }
    }

    func status() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }

    func errorOutput() -> String {
      String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Kilobytes in memory now.
    func residentKilobytes() throws -> Int {
      let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
  }

  private static let header = Btsnoop.header(.h4).bytes

  private static func report(_ index: Int) -> [UInt8] {
    let address = DeviceAddress(bits: UInt64(0xC000_0000_0000 + index), type: .random)
    let payload = AdvertisingPayload().name("Device \(index)")
    let packet = ReportEncoder.event(.legacy, AirReport(.connectable, from: address, rssi: -50, payload))
    return TestSupport.Captures.record(flags: 3, packet: packet, time: TestSupport.Captures.time(index))
  }

  @Test("A line appears as soon as its record is complete, while the capture grows")
  func growing() throws {
    let decoder = try Decoder()
    try decoder.write(Self.header + Self.report(1))
    #expect(try decoder.line()?.contains("Device 1") == true)
    let second = Self.report(2)
    try decoder.write(second.prefix(30))
    try decoder.write(second.dropFirst(30) + Self.report(3).prefix(10))
    #expect(try decoder.line()?.contains("Device 2") == true)
    try decoder.write(Self.report(3).dropFirst(10))
    #expect(try decoder.line()?.contains("Device 3") == true)
    try decoder.close()
    #expect(try decoder.line() == nil)
    #expect(decoder.status() == 0)
  }

  @Test(
    "Wrong magic bytes end the reading at once, although the pipe stays open",
    arguments: ["{\"ti", "btsnook\0"])
  func wrongMagic(bytes: String) throws {
    let decoder = try Decoder()
    try decoder.write(bytes.utf8)
    #expect(decoder.status() == 65)
    #expect(decoder.errorOutput().contains("not a btsnoop capture"))
  }

  @Test("Memory does not grow with the stream: at most 128 kB over 128 MB")
  func memory() throws {
    let decoder = try Decoder()
    // The longest packets, and reports of ever new devices.
    let long = TestSupport.Captures.record(
      flags: 1, packet: [2] + [UInt8](repeating: 0, count: Int(Btsnoop.recordBytesMax) - 1))
    let chunk = (0..<16).flatMap { _ in long }
    try decoder.write(Self.header + chunk + Self.report(0))
    _ = try decoder.line()
    let before = try decoder.residentKilobytes()
    let data = Data(chunk)
    for index in 1...(128 << 20) / data.count {
      try decoder.write(data)
      try decoder.write(Self.report(index))
      _ = try decoder.line()
    }
    let grown = try decoder.residentKilobytes() - before
    #expect(grown <= 128, "\(grown) kB")
    try decoder.close()
    #expect(decoder.status() == 0)
  }
}
