// SPDX-License-Identifier: GPL-3.0-or-later

import AgentService
import HCI
import LinuxSystem

/// An adapter of this machine: its packets as the kernel hands them over, each with its H4 indicator.
final class AdapterSource: RadioSource {
  /// No event is longer than 258 octets, and data of connections is not asked for.
  private static let packetBytesMax = 4096

  let hold: AdapterHold
  private var buffer = [UInt8](repeating: 0, count: packetBytesMax)
  private(set) var queueing: Int64?

  init(_ hold: AdapterHold) { self.hold = hold }

  var kind: RadioKind {
    switch hold.manner {
    case .exclusive: .adapter
    case .shared: .sharedAdapter(index: hold.index)
    case .listening: .listener
    }
  }
  var adapter: AdapterHold? { hold }
  var hasDescriptor: Bool { true }

  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError) {
    try epoll.add(hold.events.descriptor, .readable, token: token)
  }

  func unwatch(in epoll: borrowing Epoll) throws(SystemError) { try epoll.remove(hold.events.descriptor) }

  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain {
    queueing = nil
    for count in 0..<RadioDrain.packetCountMax {
      var stamp: Int64 = 0
      do throws(SystemError) {
        guard let byteCount = try hold.events.receive(into: &buffer, stamp: &stamp) else {
          return count > 0 ? .some : .nothing
        }
        guard byteCount > 0 else { return .ended(.unplugged) }
        // The first has waited longest.
        if count == 0, stamp != 0 { queueing = Self.age(of: stamp) }
        receive(buffer.span.octets.extracting(0..<byteCount), now)
      } catch {
        return .ended(error.isWithoutAdapter ? .unplugged : .system(error))
      }
    }
    return .more
  }

  private static func age(of stamp: Int64) -> Int64? {
    (try? WallTime.now()).map { $0.microseconds - stamp }
  }

  func send(_ command: CommandPacket, at now: Instant) -> RadioEnd? {
    do throws(SystemError) {
      return try hold.events.descriptor.send(command.octets) == command.byteCount ? nil : .deaf
    } catch {
      return error.isWithoutAdapter ? .unplugged : .system(error)
    }
  }
}
