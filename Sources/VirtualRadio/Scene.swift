// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A set of advertisers, as one scanning controller receives them.
///
/// The same devices, settings and seed give the same packets, byte for byte. Each device has its own random numbers, so
/// that adding a device at the end does not change what the others send. `scanner` may be changed between packets; it
/// affects what is sent from then on. With a period, the devices' movements, presence and payloads restart after it;
/// their addresses, intervals and noise do not.
public struct Scene: Sendable {
  public var scanner: ScanSettings
  /// Which reports reach the host; may be changed like `scanner`.
  public var filter = ReportFilter()
  private var advertisers: [Advertiser]
  private var agenda = Agenda()
  /// Reports not yet delivered, in the order of their times.
  private var outbox: [TimedReport] = []
  private var dice: SeededGenerator

  public init(
    _ devices: [SceneDevice], scanner: ScanSettings = ScanSettings(), seed: UInt64,
    periodMicroseconds: Int64? = nil
  ) {
    precondition(periodMicroseconds ?? 1 > 0, "a scene's period is longer than zero")
    self.scanner = scanner
    dice = SeededGenerator(seed: seed)
    advertisers = devices.enumerated().map { index, device in
      var branch = SeededGenerator(seed: seed, stream: UInt64(index) + 1)
      return Advertiser(device, seed: branch.next(), periodMicroseconds: periodMicroseconds)
    }
    for index in advertisers.indices {
      guard let time = advertisers[index].nextEvent() else { continue }
      agenda.insert(Agenda.Entry(time: time, device: index))
    }
  }

  /// The next report event before `limit`, or nil when there is none.
  public mutating func next(before limit: Instant) -> ScenePacket? {
    while let entry = agenda.first, entry.time < limit, entry.time <= horizon {
      for heard in filter.reportsToSend(advertisers[entry.device].send(to: scanner)) { post(heard) }
      agenda.replaceFirst(time: advertisers[entry.device].nextEvent())
    }
    guard let first = outbox.first, first.time < limit else { return nil }
    guard !scanner.holdsEvents || horizon < limit else { return nil }
    return removeFirstEvent(before: limit)
  }

  /// The earliest time before which ``next(before:)`` can return a packet, or nil when there is none to come. The
  /// packet may come later, or not at all when it is not received.
  public var nextTime: Instant? {
    let waiting = outbox.first.map { scanner.holdsEvents ? horizon : $0.time }
    return [waiting, agenda.first?.time].compactMap { $0 }.min()
  }

  /// Drops the reports that were received and not yet delivered.
  public mutating func discard() { outbox.removeAll() }

  /// The time up to which all advertisers must have sent before the first report can be delivered: others may join its
  /// event.
  private var horizon: Instant {
    guard let first = outbox.first else { return Instant(microseconds: .max) }
    let isAlone = scanner.holdsEvents && scanner.batchPerMille == 0
    return Instant(microseconds: first.time.microseconds + (isAlone ? 0 : scanner.batchMicroseconds))
  }

  private mutating func post(_ heard: TimedReport) {
    let index = outbox.lastIndex { $0.time <= heard.time }.map { $0 + 1 } ?? 0
    outbox.insert(heard, at: index)
  }

  /// Removes the first report from the outbox, with those that join its event.
  private mutating func removeFirstEvent(before limit: Instant) -> ScenePacket {
    let (close, end) = (horizon, min(horizon, limit))
    var batch = [outbox.removeFirst()]
    while let next = outbox.first, next.time < end, fits(next, in: batch),
      dice.chance(perMille: scanner.batchPerMille)
    {
      batch.append(outbox.removeFirst())
    }
    let packet = ReportEncoder.event(batch[0].format, batch.map(\.report))
    let time = scanner.holdsEvents ? close : batch[batch.count - 1].time
    return ScenePacket(time: time, bytes: packet)
  }

  private func fits(_ next: TimedReport, in batch: [TimedReport]) -> Bool {
    guard next.format == batch[0].format else { return false }
    let reports = batch.map(\.report) + [next.report]
    return ReportEncoder.eventByteCount(next.format, reports) <= PacketEncoder.parameterBytesMax
  }
}

/// An H4 packet that the host receives from the controller, and its time.
public struct ScenePacket: Equatable, Sendable {
  public let time: Instant
  public let bytes: [UInt8]
}
