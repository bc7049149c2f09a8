// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The messages of a scripted bluetoothd and of the kernel on their way to the agent.
public struct BluetoothdMessages {
  /// The delay of a message in milliseconds; nil if it is lost.
  public var delay: () -> Int64? = { 1 }
  private var queue: [(due: Instant, order: Int, output: ScriptedBluetoothd.Output)] = []
  private var count = 0
  private var lastBusDue = Instant(microseconds: 0)

  public init() {}

  /// When the next message arrives.
  public var nextTime: Instant? { queue.map(\.due).min() }

  public mutating func post(_ output: ScriptedBluetoothd.Output, at now: Instant) {
    var delay = delay()
    // The kernel loses nothing.
    if output.isOfKernel { delay = delay ?? 100 }
    guard let delay else { return }
    var due = now.advanced(milliseconds: delay)
    // The bus keeps its messages in order. The kernel's events come by another way, before or after them.
    if !output.isOfKernel {
      due = max(due, lastBusDue)
      lastBusDue = due
    }
    count += 1
    queue.append((due, count, output))
  }

  /// The bus was opened or closed: its earlier messages do not arrive any more.
  public mutating func dropBusMessages() { queue.removeAll { !$0.output.isOfKernel } }

  /// Removes and returns the messages that have arrived, in order.
  public mutating func takeArrived(at now: Instant) -> [ScriptedBluetoothd.Output] {
    let due = queue.filter { $0.due <= now }.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
    queue.removeAll { $0.due <= now }
    return due.map(\.output)
  }
}

extension ScriptedBluetoothd.Output {
  /// It is an event of the kernel's, and does not come over the bus.
  public var isOfKernel: Bool { if case .mgmt = self { true } else { false } }
}
