// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
public import Explanation
public import HCI
public import Interfaces
import Manifest

/// What one advertising set of a device advertised, collected for a suggestion.
///
/// Capacity: ``framesMax`` frames of different structures; a set that has more is described by those.
public struct SuggestionSource: Sendable {
  private static let framesMax = 8

  public private(set) var sampled: SampledSet
  public private(set) var reportCount = 0
  /// In the order they first came.
  private(set) var frames: [HeardFrame] = []
  private(set) var name: AdvertisementFields.Name?
  private var lastTime: Seconds?
  /// The longest pause between two reports, and how many pauses were as long as five seconds.
  private(set) var pause: (milliseconds: UInt32, count: Int) = (0, 0)
  /// When the last ``GateTrial/samplesMax`` advertisements or more came, in milliseconds: of the device that an item is
  /// written for.
  private(set) var times: [Int64] = []
  /// When the device was heard that an item is written for.
  private(set) var history: ViewHistory?

  /// For the device and the set of `report`, which is not taken yet. `keepsHistory`: also when each of its frames came.
  public init(for report: DecodedReport, keepsHistory: Bool = false) {
    sampled = SampledSet(for: report)
    history = keepsHistory ? ViewHistory() : nil
  }

  /// What a device sent last.
  public init(address: DeviceAddress, _ frame: SampledSet.Frame) {
    sampled = SampledSet(address: address, frame)
    reportCount = 1
    addPayload(frame.data, .data, AdvertisementFields(frame.data.span.rawBytes))
    addPayload(frame.response, .response, AdvertisementFields(frame.response.span.rawBytes))
  }

  public var address: DeviceAddress { sampled.address }
  /// 0 to 15; nil for reports that name no set.
  public var advertisingSID: UInt8? { sampled.advertisingSID }

  public func covers(_ report: DecodedReport) -> Bool { sampled.covers(report) }

  /// Takes one report of the set; fragments count with their last.
  public mutating func addReport(_ report: DecodedReport) {
    sampled.addReport(report)
    reportCount += 1
    notePause(before: report)
    guard let fields = report.fields else { return }
    let payload = report.assembled ?? report.data
    let part: PayloadPart = report.header.properties.contains(.scanResponse) ? .response : .data
    history?.addReport(payload, part, at: report.time)
    addPayload(payload, part, fields)
  }

  private mutating func notePause(before report: DecodedReport) {
    let silence = lastTime.map { Self.milliseconds(from: $0, to: report.time) } ?? 0
    lastTime = report.time
    if silence >= 5000 { pause = (max(pause.milliseconds, silence), pause.count + 1) }
    // A report and its scan response are one sample of the gate.
    guard history != nil, !report.header.properties.contains(.scanResponse) else { return }
    if times.count == 2 * GateTrial.samplesMax { times.removeFirst(GateTrial.samplesMax) }
    times.append(report.time.microseconds / 1000)
  }

  private static func milliseconds(from start: Seconds, to end: Seconds) -> UInt32 {
    UInt32(clamping: (end.microseconds - start.microseconds) / 1000)
  }

  private mutating func addPayload(_ payload: [UInt8], _ part: PayloadPart, _ fields: AdvertisementFields) {
    if let new = fields.name, !new.text.bytes.isEmpty, new.isComplete || name == nil { name = new }
    let structures = ObservedStructure.all(in: payload.span.rawBytes, part)
    if structures.isEmpty { return }
    if let index = frames.firstIndex(where: { $0.covers(structures, part) }) {
      frames[index].add(structures, payload)
    } else if frames.count < Self.framesMax {
      frames.append(HeardFrame(structures, payload, part))
    }
  }

  /// Whether some view that the set had is like this: one of the first different ones, or of its history.
  func hasView(where holds: (SampledSet.Frame) -> Bool) -> Bool {
    sampled.frames.contains(where: holds) || (history?.runs.contains { holds($0.view) } ?? false)
  }

  /// Every data that came after a company identifier; nil when none is known.
  func data(of company: UInt16) -> KeyData? {
    common(
      frames.flatMap(\.structures).flatMap { structure -> [KeyData] in
        guard case .manufacturerData(let keys) = structure else { return [] }
        return keys.values.filter { $0.key == company }.map(\.data)
      })
  }

  /// Every data that came after the UUID of service data; nil when none is known.
  func data(of service: BluetoothUUID) -> KeyData? {
    common(
      frames.flatMap(\.structures).flatMap { structure -> [KeyData] in
        guard case .serviceData(let keys) = structure else { return [] }
        return keys.values.filter { $0.key == service }.map(\.data)
      })
  }

  /// Whether a descriptor may hold at all: looked at before its clauses are, for most devices have other keys.
  func mayMeet(_ descriptor: DiscoveryDescriptor) -> Bool {
    let structures = frames.lazy.flatMap(\.structures)
    if let company = descriptor.companyIdentifier {
      return structures.contains { structure in
        guard case .manufacturerData(let keys) = structure else { return false }
        return keys.hasMore || keys.values.contains { $0.key == company }
      }
    }
    return descriptor.serviceUUID == nil
      || structures.contains { structure in
        switch structure {
        case .manufacturerData, .name: false
        case .serviceData, .services: true
        }
      }
  }

  private func common(_ parts: [KeyData]) -> KeyData? {
    parts.dropFirst().reduce(into: parts.first) { $0?.add($1) }
  }

  /// How many reports, and different ones up to ``HeardFrame/differentMax``, prove a descriptor: of the frame that has what a
  /// clause asks for and changed most, for the clause whose frame changed least.
  func proof(of descriptor: DiscoveryDescriptor) -> (reportCount: Int, differentCount: Int) {
    var clauses: [(HeardFrame.Structure) -> Bool] = []
    if let company = descriptor.companyIdentifier {
      clauses.append { structure in
        guard case .manufacturerData(let keys) = structure else { return false }
        return keys.values.contains { $0.key == company }
      }
    }
    if let service = descriptor.serviceUUID {
      clauses.append { structure in
        switch structure {
        case .serviceData(let keys): keys.values.contains { $0.key == service }
        case .services(let heard):
          descriptor.serviceData == nil && (heard.common + heard.doubtful).contains(service)
        case .manufacturerData, .name: false
        }
      }
    }
    if descriptor.nameSubstring != nil {
      clauses.append { structure in
        guard case .name = structure else { return false }
        return true
      }
    }
    let proofs = clauses.map { holds in
      frames.filter { $0.structures.contains(where: holds) }.map { ($0.payloads.count, $0.reportCount) }
        .max { $0 < $1 } ?? (0, 0)
    }
    let (differentCount, reportCount) = proofs.min { $0 < $1 } ?? (0, 0)
    return (reportCount, differentCount)
  }
}

/// How a device sends that pauses again and again.
public struct HeardPace: Equatable, Sendable {
  /// For instance "in bursts, every 60 s".
  public let text: String
  /// The longest pause.
  public let pauseMilliseconds: UInt32
}

/// What every device of a capture advertised: the one that an item is written for, and the others in sight.
///
/// Capacity: ``othersMax`` advertising sets of other devices; those heard later are left out.
public struct SuggestionSources: Sendable {
  private struct Key: Hashable {
    let address: DeviceAddress
    let advertisingSID: UInt8?
  }

  public static let othersMax = 4096

  private let bits: Set<UInt64>
  /// How the device sends, as the agent knows it; nil when that is not known, or without pauses.
  public private(set) var pace: HeardPace?
  public private(set) var device: [SuggestionSource] = []
  public private(set) var others: [SuggestionSource] = []
  private var indices: [Key: Int] = [:]

  /// `bits` are the device's address, or addresses, of whichever type.
  public init(ofDevice bits: UInt64...) { self.init(ofDevice: Set(bits)) }
  public init(ofDevice bits: Set<UInt64>) { self.bits = bits }

  public mutating func addReport(_ report: DecodedReport) {
    let header = report.header
    guard header.address.type != .anonymous else { return }
    if bits.contains(header.address.bits) {
      let index = device.firstIndex { $0.covers(report) } ?? device.count
      if index == device.count {
        device.append(SuggestionSource(for: report, keepsHistory: true))
      }
      return device[index].addReport(report)
    }
    let key = Key(address: header.address, advertisingSID: header.validAdvertisingSID)
    guard let index = indices[key] ?? (others.count < Self.othersMax ? others.count : nil) else { return }
    if index == others.count {
      others.append(SuggestionSource(for: report))
      indices[key] = index
    }
    others[index].addReport(report)
  }

  /// Takes what a device sent last, unless a report of it was taken, and how it sends.
  public mutating func addLast(_ line: DeviceLine) {
    let (data, response) = line.payload
    let frame = SampledSet.Frame(data: data, response: response)
    if bits.contains(line.address.bits) {
      if let rhythm = line.rhythmMilliseconds {
        pace = DevicePace.text(
          intervalMilliseconds: line.intervalMilliseconds, rhythmMilliseconds: rhythm
        ).map { HeardPace(text: $0, pauseMilliseconds: rhythm) }
      }
      if device.isEmpty { device = [SuggestionSource(address: line.address, frame)] }
      return
    }
    guard line.address.type != .anonymous, others.count < Self.othersMax,
      !others.contains(where: { $0.address == line.address })
    else { return }
    others.append(SuggestionSource(address: line.address, frame))
  }
}
