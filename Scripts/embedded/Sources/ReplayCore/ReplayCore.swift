// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI

/// Replays the btsnoop capture on standard input through the data path and prints everything it did: one line for
/// each event, then the devices, then the counters. Two builds agree when their outputs are the same bytes.
public struct ReplayCore: ~Copyable {
  private var pipeline: Pipeline
  private var writer: LineWriter
  private var cursor: EventCursor
  private var start: Instant?

  /// The program: 0, or `EX_DATAERR` (65), `EX_IOERR` (74), `EX_OSERR` (71).
  public static func run() -> Int32 {
    guard let input = StandardInput() else { return 74 }
    guard var replay = ReplayCore() else { return 71 }
    guard replay.play(input) else { return 65 }
    return replay.finish() ? 0 : 74
  }

  /// Nil when there is no memory.
  private init?() {
    let epoch = Block128(high: 0, low: 0)
    var measure = Arena()
    _ = Pipeline(BuiltInItems.size, Capacities(), epoch: epoch, in: &measure)
    guard let block = unsafe Memory.block(byteCount: measure.byteCount), let writer = LineWriter() else {
      return nil
    }
    // Holds: the block is aligned to a page, never unmapped, and this is its only arena.
    var arena = unsafe Arena(block: block)
    pipeline = Pipeline(BuiltInItems.size, Capacities(), epoch: epoch, in: &arena)
    BuiltInItems.add(to: &pipeline)
    self.writer = writer
    cursor = EventCursor(epoch: epoch, sequence: 0)
  }

  /// False when the input is no capture. One that is cut is played up to there.
  private mutating func play(_ input: StandardInput) -> Bool {
    do throws(BtsnoopError) {
      var reader = try BtsnoopReader(input.bytes.span(at: 0, count: input.byteCount))
      do throws(BtsnoopError) {
        while let record = try reader.next() { replay(record) }
      } catch {
        writer.text("capture cut\n")
      }
      return true
    } catch {
      return false
    }
  }

  private mutating func replay(_ record: borrowing BtsnoopRecord) {
    let start = self.start ?? record.time
    self.start = start
    let time = Instant(microseconds: record.time.microseconds &- start.microseconds)
    advance(to: time)
    guard case .packet(let kind, isReceived: true, _) = record.content else { return }
    _ = pipeline.receive(Packet(kind: kind, body: record.payload), at: time)
    printEvents()
  }

  private mutating func advance(to time: Instant) {
    while let due = pipeline.nextDeadline, due <= time {
      pipeline.advance(to: due)
      printEvents()
    }
  }

  /// Prints the devices, lets ten minutes of silence pass, and prints the counters.
  private mutating func finish() -> Bool {
    printDevices()
    if let now = pipeline.now { advance(to: now.advanced(milliseconds: 600_000)) }
    pipeline.checkInvariants()
    writer.write(pipeline.counters)
    writer.write(pipeline.assemblerCounters)
    writer.flush()
    return writer.isIntact
  }

  private mutating func printEvents() {
    while true {
      switch pipeline.events.read(&cursor) {
      case .event(let sequence, let sighting, let byteCount):
        writer.write(sighting, sequence: sequence)
        writer.text(" data ")
        for index in 0..<byteCount {
          writer.hex(UInt64(pipeline.events.payloadByte(of: sequence, at: index)), digits: 2)
        }
        writer.endLine()
      case .missed(let count):
        writer.field("missed", Int64(count))
        writer.endLine()
      case .end: return
      case .reset: preconditionFailure("the cursor is of this run")
      }
    }
  }

  private mutating func printDevices() {
    for row in 0..<pipeline.rowCount {
      guard let device = pipeline.device(at: row) else { continue }
      writer.write(device, address: pipeline.address(at: row))
      for place in 0..<Int(device.matchCount) {
        let match = pipeline.match(place, at: row)
        writer.field("match", Int64(match.item))
        writer.field("presence", match.presence.number)
        writer.field("level", pipeline.gateReading(at: row, item: Int(match.item)).level.map(Int64.init))
        writer.field("loss", pipeline.pathLoss(at: row, item: Int(match.item)).map(Int64.init))
      }
      writer.endLine()
    }
  }
}

#if hasFeature(Embedded)
  /// Where the C library starts the program; elsewhere an executable calls ``ReplayCore/run()``.
  @_cdecl("main")
  public func main(_ argumentCount: Int32, _ arguments: UnsafeRawPointer?) -> Int32 { ReplayCore.run() }
#endif
