// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

/// An adapter of this machine: its packets as the kernel delivers them, each with its H4 indicator.
final class AdapterSource: RadioSource {
  let openAdapter: OpenAdapter
  private var batch = PacketBatch()
  private(set) var queueing: Int64?

  init(_ openAdapter: OpenAdapter) { self.openAdapter = openAdapter }

  var kind: RadioKind {
    switch openAdapter.accessMode {
    case .exclusive: .adapter(index: openAdapter.index)
    case .shared: .sharedAdapter(index: openAdapter.index, kernelScanState: openAdapter.kernelScanState)
    case .listening: .listener
    }
  }
  var adapter: OpenAdapter? { openAdapter }
  var hasDescriptor: Bool { true }

  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError) {
    try epoll.add(openAdapter.events.descriptor, .readable, token: token)
  }

  func unwatch(in epoll: borrowing Epoll) throws(SystemError) {
    try epoll.remove(openAdapter.events.descriptor)
  }

  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain {
    queueing = nil
    var total = 0
    while total < RadioDrain.packetCountMax {
      do throws(SystemError) { try batch.receive(from: openAdapter.events) } catch {
        return .ended(error.isWithoutAdapter ? .unplugged : .system(error))
      }
      // The first packet has waited longest.
      if total == 0, let stamp = batch.firstStamp { queueing = Self.age(of: stamp) }
      batch.forEach { receive($0, now) }
      total += batch.count
      guard batch.count == PacketBatch.packetCountMax else { return total > 0 ? .some : .nothing }
    }
    return .more
  }

  private static func age(of stamp: Int64) -> Int64? {
    (try? WallTime.now()).map { $0.microseconds - stamp }
  }

  func send(_ command: CommandPacket, at now: Instant) -> RadioSourceError? {
    do throws(SystemError) {
      return try openAdapter.events.descriptor.send(command.bytes) == command.byteCount
        ? nil : .rejectsCommands
    } catch {
      return error.isWithoutAdapter ? .unplugged : .system(error)
    }
  }
}
