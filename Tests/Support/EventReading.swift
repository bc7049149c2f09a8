// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// An advertising report with a copy of its data.
public struct ReadReport: Equatable {
  public let header: ReportHeader
  public let data: [UInt8]
}

/// How one announced report was read.
public enum ReportOutcome: Equatable {
  case report(ReadReport)
  case error(ReportError)

  public var report: ReadReport? {
    guard case .report(let report) = self else { return nil }
    return report
  }

  public var error: ReportError? {
    guard case .error(let error) = self else { return nil }
    return error
  }
}

/// Everything that an H4 packet was read as: packet, event, reports.
public struct EventReading: Equatable {
  public var packetError: PacketError?
  public var kind: PacketKind?
  public var eventError: EventError?
  public var code: UInt8?
  public var eventTrailingByteCount: Int?
  /// Nil when the event does not carry reports.
  public var format: ReportFormat?
  public var announced = 0
  public var outcomes: [ReportOutcome] = []
  public var trailingByteCount: Int?
  /// How often the report reader was asked.
  public var steps = 0

  public var reports: [ReadReport] { outcomes.compactMap(\.report) }
  public var errors: [ReportError] { outcomes.compactMap(\.error) }

  /// Reads `packet`, indicator first.
  public init(_ packet: [UInt8]) { self.init(borrowing: packet.rawSpan) }

  public init(borrowing bytes: RawSpan) {
    do throws(PacketError) {
      let packet = try Packet(parsing: bytes)
      kind = packet.kind
      if packet.kind == .event { read(event: packet.body) }
    } catch {
      packetError = error
    }
  }

  private mutating func read(event body: RawSpan) {
    do throws(EventError) {
      let event = try Event(parsing: body)
      code = event.code
      eventTrailingByteCount = event.trailingByteCount
      if let reports = AdvertisingReports(event) { read(reports) }
    } catch {
      eventError = error
    }
  }

  private mutating func read(_ borrowed: consuming AdvertisingReports) {
    var reports = borrowed
    format = reports.format
    announced = reports.count
    // A reader that never ends is stopped far behind any bound that a test asserts.
    while steps < 1000 {
      steps += 1
      do throws(ReportError) {
        guard let report = try reports.next() else { break }
        outcomes.append(.report(ReadReport(header: report.header, data: report.data.bytes)))
      } catch {
        outcomes.append(.error(error))
      }
    }
    trailingByteCount = reports.trailingByteCount
  }
}
