// SPDX-License-Identifier: GPL-3.0-or-later

public import DeviceLines
import Discovery
public import Explanation
public import HCI
public import Interfaces
public import Manifest
import Suggestions

/// What happened to the devices of a whole capture: when which item found them, and every frame that they sent.
///
/// Capacity: ``findingsMax`` pairs of item and device, and the advertising sets of ``SuggestionSources``; later ones are
/// left out.
public struct CaptureHistory: Sendable {
  private struct Key: Hashable {
    let app: String
    let item: String
    let address: DeviceAddress

    init(app: String, item: String, _ address: DeviceAddress) {
      (self.app, self.item, self.address) = (app, item, address)
    }
  }

  public static let findingsMax = 16384

  private var findings: [Key: FoundHistory] = [:]
  private var lossesToOtherFrames: [Key: Int] = [:]
  private var sources: SuggestionSources

  /// `bits` are the address of the device that the question is about; 0 for all alike.
  public init(ofDevice bits: UInt64 = 0) { sources = SuggestionSources(ofDevice: bits) }

  public mutating func addEvent(_ event: EventLine) {
    let key = Key(app: event.app, item: event.item, event.address)
    switch event.event {
    case .found:
      guard findings.count < Self.findingsMax || findings[key] != nil else { return }
      findings[key, default: FoundHistory(count: 0)].addFinding(at: event.time)
    case .lost:
      findings[key]?.addLoss(at: event.time)
      if event.reason == .noLongerMatches, findings[key] != nil { lossesToOtherFrames[key, default: 0] += 1 }
    case .changed: break
    }
  }

  public mutating func addReport(_ report: DecodedReport) { sources.addReport(report) }

  /// Empty when the item never found the device.
  public func history(app: String, item: String, _ address: DeviceAddress) -> FoundHistory {
    findings[Key(app: app, item: item, address)] ?? FoundHistory(count: 0)
  }

  /// How often the item lost the device while it sent other frames.
  func lossesToOtherFrames(app: String, item: String, _ address: DeviceAddress) -> Int {
    lossesToOtherFrames[Key(app: app, item: item, address)] ?? 0
  }

  /// The items that ever found a device.
  public func items(thatFound address: DeviceAddress) -> [(app: String, item: String)] {
    let address = address
    let keys = findings.keys.filter { $0.address == address }
    return keys.map { ($0.app, $0.item) }.sorted { ($0.app, $0.item) < ($1.app, $1.item) }
  }

  /// Different frames of a device, the newest one first.
  func frames(of address: DeviceAddress) -> [(data: [UInt8], response: [UInt8])] {
    SampledSet.frames(of: address, in: (sources.device + sources.others).map(\.sampled))
  }
}

extension DeviceView {
  /// The device with every frame that it sent in the capture, instead of those that it sent last.
  public func inWhole(_ history: CaptureHistory) -> DeviceView {
    withEvery(frame: history.frames(of: device.address))
  }
}

extension ManifestDataPath {
  /// What one item says about a device in a whole capture.
  public func explanations(
    of view: DeviceView, item index: Int, in history: CaptureHistory
  ) -> [ItemExplanation] {
    explanations(of: view.inWhole(history), item: index).map { explanation in
      var whole = explanation
      // The identities share their sightings: what was found counts for those that hold.
      let found = history.history(app: explanation.app, item: explanation.item, view.address)
      whole.history = explanation.holds ? found : FoundHistory(count: 0)
      whole.lossesToOtherFrames = history.lossesToOtherFrames(
        app: explanation.app, item: explanation.item, view.address)
      return whole
    }
  }
}

extension DeviceLine {
  /// With every item that ever found the device in a capture.
  public init(_ view: DeviceView, in history: CaptureHistory) {
    var items = view.matches.map { match in
      Item(
        app: match.app, item: match.id, presence: match.match.presence,
        history: history.history(app: match.app, item: match.id, view.address))
    }
    for (app, id) in history.items(thatFound: view.address)
    where !items.contains(where: { $0.app == app && $0.item == id }) {
      let found = history.history(app: app, item: id, view.address)
      items.append(Item(app: app, item: id, presence: .outside, history: found))
    }
    self.init(view, items: items)
  }
}
