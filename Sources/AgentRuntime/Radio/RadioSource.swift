// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

/// A source of packets: bytes and times in, commands out. None of its calls blocks.
protocol RadioSource: AnyObject {
  /// How the agent treats it.
  var kind: RadioKind { get }
  /// Whether a descriptor becomes readable when there is something to drain; otherwise ``nextTime`` is the time.
  var hasDescriptor: Bool { get }
  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError)
  func unwatch(in epoll: borrowing Epoll) throws(SystemError)
  /// The adapter of this machine; nil for other sources.
  var adapter: OpenAdapter? { get }
  /// How long, in microseconds, the first packet of the last drain had waited in the kernel, where that is known.
  var queueing: Int64? { get }
  /// The same of the packet that is being delivered: of each, while ``stampsEveryPacket``, else at most of the first.
  var waited: Int64? { get }
  var stampsEveryPacket: Bool { get set }
  /// The time of the next packet, for a source without a descriptor.
  var nextTime: Instant? { get }
  /// How many microseconds the radio's clock runs ahead of the loop's at `now`.
  func lead(at now: Instant) -> Int64
  /// Delivers the packets that have arrived, at most ``RadioDrain/packetCountMax`` packets.
  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain
  /// Sends a command. Returns why the radio has ended if it could not be sent.
  func send(_ command: CommandPacket, at now: Instant) -> RadioSourceError?
}

extension RadioSource {
  var hasDescriptor: Bool { false }
  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError) {}
  func unwatch(in epoll: borrowing Epoll) throws(SystemError) {}
  var adapter: OpenAdapter? { nil }
  var queueing: Int64? { nil }
  var waited: Int64? { nil }
  var stampsEveryPacket: Bool {
    get { false }
    set {}
  }
  var nextTime: Instant? { nil }
  func lead(at now: Instant) -> Int64 { 0 }
}

/// The result of draining a radio.
enum RadioDrain: Equatable {
  /// The most packets per turn of the loop, so that clients are served during a flood.
  static let packetCountMax = 256

  case nothing
  /// All packets were delivered.
  case some
  /// There may be more packets.
  case more
  case ended(RadioSourceError)
}

/// Why a radio is not there.
enum RadioSourceError: Error, Equatable {
  case hungUp
  /// A byte of the stream begins no packet: the packets after it cannot be found.
  case notH4(UInt8)
  /// It does not accept a command.
  case rejectsCommands
  case system(SystemError)
  case unplugged
  /// The adapter is gone; the sentence says why.
  case gone(String)
  case recordingEnded(recordCount: Int)
  case recordingBroken(BtsnoopError)

  /// Why there is no radio, for status and the log.
  var sentence: String {
    switch self {
    case .hungUp:
      "the controller hung up; start the program behind its socket again, and the agent reconnects"
    case .notH4(let byte):
      "the controller's socket does not carry H4: no packet begins with 0x\(String(byte, radix: 16)); "
        + RadioError.h4Cure
    case .rejectsCommands: "the controller does not accept commands"
    case .system(let error): "the controller is lost: \(error.sentence)"
    case .unplugged: "the controller was unplugged"
    case .gone(let sentence): sentence
    case .recordingEnded(let count):
      "the recording has ended after \(count) \(count == 1 ? "record" : "records")"
    case .recordingBroken(let error): "the rest of the recording cannot be read: \(error.sentence)"
    }
  }
}

extension BtsnoopError {
  fileprivate var sentence: String {
    switch self {
    case .headerTruncated(let byteCount):
      "it has \(byteCount) of the 16 bytes that a btsnoop capture starts with"
    case .notBtsnoop:
      "it is not a btsnoop capture; accessoryctl decode FILE says what it is and how to convert it"
    case .unsupportedVersion(let version): "its btsnoop version, \(version), is unknown"
    case .unsupportedDatalink(let code): "its datalink, \(code), is unknown"
    case .recordTruncated(let offset): "it ends inside the record at byte \(offset)"
    case .recordOversized(let offset, _): "the record at byte \(offset) is longer than any packet"
    }
  }
}
