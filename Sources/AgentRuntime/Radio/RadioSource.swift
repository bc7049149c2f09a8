// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

/// Where packets come from: bytes and times in, commands out. None of its calls waits for anything.
protocol RadioSource: AnyObject {
  /// How it is treated.
  var kind: RadioKind { get }
  /// Whether a descriptor becomes readable when there is something to drain; otherwise ``nextTime`` tells everything.
  var hasDescriptor: Bool { get }
  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError)
  func unwatch(in epoll: borrowing Epoll) throws(SystemError)
  /// The adapter of this machine that it is.
  var adapter: OpenAdapter? { get }
  /// How long, in microseconds, the first packet of the last drain had waited in the kernel, where that is known.
  var queueing: Int64? { get }
  /// When there may be something to drain that no descriptor tells of.
  var nextTime: Instant? { get }
  /// How many microseconds the radio's clock runs ahead of ours at `now`.
  func lead(at now: Instant) -> Int64
  /// Hands over what is there, at most ``RadioDrain/packetCountMax`` packets.
  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain
  /// Why the command could not be sent; nil when it was.
  func send(_ command: CommandPacket, at now: Instant) -> RadioEnd?
}

extension RadioSource {
  var hasDescriptor: Bool { false }
  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError) {}
  func unwatch(in epoll: borrowing Epoll) throws(SystemError) {}
  var adapter: OpenAdapter? { nil }
  var queueing: Int64? { nil }
  var nextTime: Instant? { nil }
  func lead(at now: Instant) -> Int64 { 0 }
}

/// What came of draining a radio.
enum RadioDrain: Equatable {
  /// One turn of the loop takes no more, so that clients have theirs during a flood.
  static let packetCountMax = 256

  case nothing
  /// Everything that was there.
  case some
  /// There may be more.
  case more
  case ended(RadioEnd)
}

/// Why a radio is not there.
enum RadioEnd: Error, Equatable {
  case hungUp
  /// An byte of the stream begins no packet: nothing behind it can be found.
  case outOfStep(UInt8)
  /// It does not take a command.
  case deaf
  case system(SystemError)
  case unplugged
  /// As the sentence says.
  case gone(String)
  case recordingEnded(recordCount: Int)
  case recordingBroken(BtsnoopError)
}
