// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

/// An adapter of this machine: its packets as the kernel delivers them, each with its H4 indicator.
final class AdapterSource: RadioSource {
  let openAdapter: OpenAdapter
  private var batch = PacketBatch()
  private(set) var queueing: Int64?
  private(set) var waited: Int64?
  var stampsEveryPacket = false

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
      let stamped = stampsEveryPacket ? PacketBatch.packetCountMax : total == 0 ? 1 : 0
      do throws(SystemError) { try batch.receive(from: openAdapter.events, stamped: stamped) } catch {
        return .ended(error.isWithoutAdapter ? .unplugged : .system(error))
      }
      let wall = batch.count > 0 && stamped > 0 ? (try? WallTime.now())?.microseconds : nil
      batch.forEach { packet, stamp in
        waited = if let wall, let stamp { wall - stamp } else { nil }
        receive(packet, now)
        // The first packet has waited longest.
        if total == 0, queueing == nil { queueing = waited }
      }
      total += batch.count
      guard batch.count == PacketBatch.packetCountMax else { return total > 0 ? .some : .nothing }
    }
    return .more
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
