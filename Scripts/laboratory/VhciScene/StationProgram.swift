// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Glibc
import LaboratoryRadio
import LinuxSystem
import VirtualRadio

/// Carries packets between a station and the kernel in real time, and carries out orders.
///
/// One scenario at a time is connected; the program answers each of its lines with a line of JSON.
final class StationProgram {
  /// How many packets it writes before it reads orders and commands again.
  private static let packetCountMax = 256
  private static let lineBytesMax = 4096

  private final class Connection {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  private let origin: Int64
  private let listener: UnixListener
  private var client: Connection?
  private var line: [UInt8] = []
  private var station: Station
  private var adapter: VhciAdapter?
  private var plugs = 0

  init(_ controller: consuming VirtualController, controlPath: String) throws {
    let origin = try BootTime.now()
    let adapter = try VhciAdapter()
    // Last: a scenario that finds the socket expects the adapter to exist.
    let listener = try UnixListener(replacing: controlPath, interim: controlPath + ".new", mode: 0o600)
    self.origin = origin
    self.listener = listener
    self.adapter = adapter
    station = Station(controller)
  }

  func run() throws {
    while true {
      try wait()
      try readCommands()
      // Packets that remain are due, so that the next wait ends at once.
      try writePackets()
      try readOrders()
    }
  }

  private func now() throws(SystemError) -> Instant { Instant(microseconds: try BootTime.now() - origin) }

  /// Waits until there is something to read, or a packet is due.
  private func wait() throws {
    let due = adapter == nil ? nil : station.nextTime
    let left = try due.map { try $0.microseconds - now().microseconds }
    // Rounded up; a load then sends everything that has fallen due.
    let milliseconds = left.map { $0 <= 0 ? 0 : Int32(clamping: ($0 - 1) / 1000 + 1) } ?? -1
    var entries = [pollfd(fd: listener.descriptor.number, events: Int16(POLLIN), revents: 0)]
    if let client { entries.append(pollfd(fd: client.descriptor.number, events: Int16(POLLIN), revents: 0)) }
    if let adapter { entries.append(pollfd(fd: adapter.descriptor, events: Int16(POLLIN), revents: 0)) }
    // Holds: the array's own entries, for as long as the call.
    _ = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
  }

  private func readCommands() throws {
    while let packet = try adapter?.read() { station.receive(packet, at: try now()) }
  }

  private func writePackets() throws {
    guard let adapter else { return }
    let now = try now()
    for _ in 0..<Self.packetCountMax {
      guard let packet = station.next(before: now) else { return }
      try adapter.write(packet)
    }
  }

  private func readOrders() throws {
    if client == nil, case .connection(let descriptor, _) = try listener.accept() {
      client = Connection(descriptor)
    }
    var buffer = [UInt8](repeating: 0, count: Self.lineBytesMax)
    guard let count = try client?.descriptor.read(into: &buffer) else { return }
    guard count > 0, line.count + count <= Self.lineBytesMax else {
      client = nil
      line = []
      return
    }
    line += buffer[..<count]
    while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
      let text = String(decoding: line[..<end], as: UTF8.self)
      line.removeFirst(end + 1)
      let answer = try execute(text)
      _ = try client?.descriptor.write(Array((answer + "\n").utf8)[...])
    }
  }

  private func execute(_ text: String) throws -> String {
    guard let order = Order(text) else { return "{\"error\":\"unknown order\"}" }
    switch order {
    case .count: break
    case .load(let kind, let rate, let count, let addressCount, let targets):
      station.load = ReportLoad(
        kind, rate: rate, count: count, addressCount: addressCount, targets: targets, from: try now())
    case .replay(let path):
      let bytes = try FileContents(reading: path, byteCountMax: 1 << 28).bytes
      station.replay = try CaptureReports(bytes, from: try now())
    case .stop:
      station.load = nil
      station.replay = nil
    case .fault(let fault): station.fault = fault
    case .clearFault: station.fault = nil
    case .emit(let bytes): station.emit(bytes)
    case .unplug: adapter = nil
    case .plug:
      guard adapter == nil else { break }
      station.plugIn(at: try now())
      adapter = try VhciAdapter()
      plugs += 1
    }
    return state
  }

  /// N in "hciN", or -1.
  private var index: Int { adapter.map { Int($0.index) } ?? -1 }

  private var state: String {
    let counters = station.counters
    let commands = station.controller.counters
    let numbers: [(String, Int)] = [
      ("index", index),
      ("packets", counters.packets), ("events", counters.events), ("reports", counters.reports),
      ("withheld", counters.withheld), ("commands", counters.commands), ("resets", counters.resets),
      ("scanEnables", counters.scanEnables), ("scanDisables", counters.scanDisables),
      ("unknownCommands", commands.unknownCommands), ("plugs", plugs),
    ]
    let states: [(String, Bool)] = [
      ("scanning", station.controller.isScanning), ("plugged", adapter != nil),
      ("faulty", station.fault != nil), ("loading", !(station.load?.isOver ?? true)),
      ("replaying", station.replay?.nextTime != nil),
    ]
    let fields = numbers.map { "\"\($0.0)\":\($0.1)" } + states.map { "\"\($0.0)\":\($0.1)" }
    return "{" + fields.joined(separator: ",") + "}"
  }
}
