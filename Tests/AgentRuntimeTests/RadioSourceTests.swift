// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import HCI
import LinuxSystem
import TestSupport
import Testing

@testable import AgentRuntime

private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

/// What a drain hands over.
private struct Received: Equatable {
  let packet: [UInt8]
  let time: Instant
}

extension RadioSource {
  fileprivate func drain(at now: Instant) -> (RadioDrain, [Received]) {
    var received: [Received] = []
    let outcome = drain(at: now) { packet, time in
      received.append(Received(packet: (0..<packet.byteCount).map { packet.uint8(at: $0) }, time: time))
    }
    return (outcome, received)
  }
}

@Suite("Where packets come from")
struct RadioSourceTests {
  // MARK: - A controller at a socket

  private static let first: [UInt8] = [4, 0x0E, 1, 7]
  private static let second: [UInt8] = [4, 0x3E, 2, 8, 9]

  private struct NoPair: Error {}

  private func link(_ framing: UnixSocketKind) throws -> (H4Socket, OpenClient) {
    var far: Descriptor?
    let near = try UnixConnection.pair(&far, kind: framing)
    guard let other = far.take() else { throw NoPair() }
    return (H4Socket(SharedDescriptor(near), framing), OpenClient(other))
  }

  @Test("Packets come one a read, and then there is nothing")
  func packets() throws {
    let (link, far) = try link(.packets)
    #expect(link.drain(at: at(1)).0 == .nothing)
    for packet in [Self.first, Self.second] { _ = try far.descriptor.write(packet[...]) }
    let (outcome, received) = link.drain(at: at(5))
    #expect(outcome == .some)
    #expect(
      received == [Received(packet: Self.first, time: at(5)), Received(packet: Self.second, time: at(5))])
    #expect(link.drain(at: at(6)).0 == .nothing)
  }

  @Test("A stream is put together wherever it was cut", arguments: 1..<9)
  func stream(cut: Int) throws {
    let (link, far) = try link(.stream)
    let whole = Self.first + Self.second
    var received: [Received] = []
    for part in [whole[..<cut], whole[cut...]] {
      _ = try far.descriptor.write(part)
      let (outcome, packets) = link.drain(at: at(1))
      #expect(outcome == .nothing || outcome == .some)
      received += packets
    }
    #expect(received.map(\.packet) == [Self.first, Self.second])
  }

  @Test("The longest packet fits a stream, and what follows it is read")
  func longestPacket() throws {
    let (link, far) = try link(.stream)
    let longest: [UInt8] = [0x02, 0x01, 0x00, 0xFF, 0xFF] + [UInt8](repeating: 0x5A, count: 0xFFFF)
    var received: [Received] = []
    var left = (longest + Self.first)[...]
    while !left.isEmpty {
      left = left.dropFirst(try #require(try far.descriptor.write(left.prefix(8_000))))
      let (outcome, packets) = link.drain(at: at(1))
      #expect(outcome == .nothing || outcome == .some)
      received += packets
    }
    #expect(received.map(\.packet) == [longest, Self.first])
  }

  @Test("A stream that is out of step, or whose end is gone, ends")
  func ends() throws {
    let (noisy, noise) = try link(.stream)
    _ = try noise.descriptor.write((Self.first + [0xAA])[...])
    let (outcome, received) = noisy.drain(at: at(1))
    #expect(outcome == .ended(.notH4(0xAA)))
    #expect(received.map(\.packet) == [Self.first])
    let (link, far) = try link(.packets)
    _ = consume far
    #expect(link.drain(at: at(1)).0 == .ended(.hungUp))
    #expect(link.send(.reset, at: at(1)) == .hungUp)
  }

  @Test("One turn takes no more than its share of a flood")
  func flood() throws {
    let (link, far) = try link(.stream)
    let flood = (0..<300).flatMap { _ in Self.first }
    #expect(try far.descriptor.write(flood[...]) == flood.count)
    let (outcome, received) = link.drain(at: at(1))
    #expect(outcome == .more || received.count == 300)
  }

  // MARK: - A recording

  /// An event every 100 ms, and one at the end whose stamp is earlier.
  private static let capture: [UInt8] = {
    let flags = Btsnoop.flags(.h4, kind: .event, isReceived: true)
    let times: [Int64] = [0, 100, 200, 150]
    return Captures.file(
      .h4,
      times.map {
        Captures.record(
          flags: flags, packet: first, time: Instant(microseconds: 1_700_000_000_000_000 + $0 * 1000))
      })
  }()

  @Test("At its own pace, each record comes at its own time, and the last ones say that it is over")
  func recordedPace() {
    let source = RecordingSource(Self.capture, .recorded, at: at(1000))
    #expect(source.drain(at: at(1000)).1.map(\.time) == [at(1000)])
    #expect(source.nextTime == at(1100))
    #expect(source.drain(at: at(1099)) == (.nothing, []))
    #expect(source.drain(at: at(1150)).1.map(\.time) == [at(1100)])
    let (outcome, received) = source.drain(at: at(1300))
    #expect(outcome == .ended(.recordingEnded(recordCount: 4)))
    #expect(received.map(\.time) == [at(1200), at(1200)])
    #expect(source.backwardCount == 1)
    #expect(source.nextTime == nil && source.lead(at: at(1300)) == 0)
  }

  @Test("Flat out, the radio's clock runs ahead, turn by turn, and continues from there")
  func flatOut() {
    let source = RecordingSource(Self.capture, .flatOut, at: at(1000))
    #expect(source.drain(at: at(1000)).0 == .more)
    #expect(source.lead(at: at(1000)) == 0)
    #expect(source.drain(at: at(1001)).1.map(\.time) == [at(1100)])
    #expect(source.lead(at: at(1001)) == 99_000)
    #expect(source.drain(at: at(1002)).0 == .ended(.recordingEnded(recordCount: 4)))
    #expect(source.lead(at: at(1002)) == 198_000)
    #expect(source.lead(at: at(5000)) == 198_000)
  }

  @Test("Only what the controller said is played")
  func directions() {
    let source = RecordingSource(Captures.everyKind(.h4).bytes, .flatOut, at: at(0))
    var received: [Received] = []
    while source.nextTime != nil { received += source.drain(at: at(0)).1 }
    let expected = Captures.kinds(.h4).filter(\.isReceived).map(\.packet)
    #expect(received.map(\.packet) == expected)
  }

  @Test("A file that is no recording, or breaks off, ends with the reason")
  func broken() {
    #expect(
      RecordingSource([1, 2], .recorded, at: at(0)).drain(at: at(0)).0
        == .ended(.recordingBroken(.headerTruncated(byteCount: 2))))
    let cut = RecordingSource(Array(Self.capture.dropLast()), .flatOut, at: at(0))
    var outcome = RadioDrain.nothing
    while cut.nextTime != nil { outcome = cut.drain(at: at(0)).0 }
    guard case .ended(.recordingBroken(.recordTruncated)) = outcome else {
      Issue.record("it ended as \(outcome)")
      return
    }
  }

  @Test("A recording's name may say its pace")
  func names() {
    #expect(RadioOpening.recordingName("a b") == ("a b", .recorded))
    #expect(RadioOpening.recordingName("a?pace=flat-out") == ("a", .flatOut))
    #expect(RadioOpening.recordingName("a?pace=recorded") == ("a", .recorded))
  }
}
