// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import Testing
import VirtualRadio

@testable import virtual_controller

private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

/// A simulated controller at one end of a pair of sockets, and the host's end.
private final class Pair {
  private static let reset: [UInt8] = [1, 0x03, 0x0C, 0]

  private struct NoPair: Error {}

  private var transport: VirtualControllerTransport
  private let controllerEnd: Descriptor
  private let hostEnd: Descriptor

  /// The scene begins at 100 ms.
  init(_ faults: [ControllerFault] = []) throws {
    var scene = SceneScript()
    scene.controller.faults = faults
    transport = VirtualControllerTransport(VirtualController(scene), at: at(100))
    var other: Descriptor?
    controllerEnd = try UnixConnection.pair(&other)
    guard let host = other.take() else { throw NoPair() }
    hostEnd = host
  }

  var isPlugged: Bool { transport.isPlugged }
  var nextTime: Instant? { transport.nextTime }

  func sendReset(at now: Instant) throws {
    _ = try hostEnd.write(Self.reset[...])
    try transport.receiveCommands(from: controllerEnd, at: now)
  }

  /// What the host gets by this time.
  func packets(at now: Instant) throws -> [[UInt8]] {
    let isEverythingSent = try transport.sendPackets(to: controllerEnd, at: now)
    #expect(isEverythingSent)
    var packets: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: 300)
    while let count = try hostEnd.read(into: &buffer) { packets.append(Array(buffer[..<count])) }
    return packets
  }

  func discardPackets(until now: Instant) { transport.discardPackets(until: now) }
}

@Suite("The simulated controller behind a descriptor")
struct VirtualControllerTransportTests {
  /// Command Complete, one more allowed, Reset, success.
  private static let resetCompleted: [UInt8] = [4, 0x0E, 4, 1, 0x03, 0x0C, 0]

  @Test("A reply is sent when its time has come")
  func answer() throws {
    let pair = try Pair()
    try pair.sendReset(at: at(200))
    let due = try #require(pair.nextTime)
    #expect(due > at(200) && due <= at(202))
    #expect(try pair.packets(at: at(200)).isEmpty)
    #expect(try pair.packets(at: due) == [Self.resetCompleted])
  }

  @Test("Unplugged, it is gone; plugged in again, it returns and answers")
  func unplug() throws {
    let pair = try Pair([ControllerFault(.time(at(50)), .unplug(milliseconds: 30))])
    #expect(try pair.packets(at: at(149)).isEmpty && pair.isPlugged)
    #expect(try pair.packets(at: at(151)).isEmpty && !pair.isPlugged)
    pair.discardPackets(until: at(160))
    #expect(!pair.isPlugged)
    #expect(pair.nextTime == Instant(microseconds: 180_001))
    pair.discardPackets(until: at(181))
    #expect(pair.isPlugged)
    try pair.sendReset(at: at(182))
    #expect(try pair.packets(at: at(190)) == [Self.resetCompleted])
  }

  @Test("A command that unplugs it leaves the host without an answer")
  func unplugByCommand() throws {
    let pair = try Pair([ControllerFault(.command(.reset), .unplug(milliseconds: 30))])
    try pair.sendReset(at: at(110))
    #expect(!pair.isPlugged)
    #expect(try pair.packets(at: at(111)).isEmpty)
    pair.discardPackets(until: at(150))
    #expect(pair.isPlugged)
  }

  @Test("A host that hung up is noticed when it is written to, and when it is read from")
  func hungUp() throws {
    var scene = SceneScript()
    scene.controller.faults = []
    var transport = VirtualControllerTransport(VirtualController(scene), at: at(0))
    var other: Descriptor?
    let end = try UnixConnection.pair(&other)
    other = nil
    #expect(throws: VirtualControllerTransport.HostError.hungUp) {
      try transport.receiveCommands(from: end, at: at(1))
    }
  }
}
