// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Interfaces
import JSON
import Manifest
public import ManifestEdits
import ManifestFormat

/// What is wrong with a draft of the manifest, and what its items would find among the devices that the agent holds now.
public struct DraftCheck: Sendable {
  /// Devices of an item that are named, those first that were heard last; the rest is counted.
  private static let namedMax = 32

  private let check: ManifestCheck
  private let findings: [Finding]

  private struct Finding {
    let item: ManifestItem
    let finds: [DeviceLine]
    /// Those that the item in force matches, and this one does not.
    let loses: [DeviceLine]
  }

  /// `check` is that of the draft's text.
  public init(_ draft: Draft, _ check: ManifestCheck) {
    self.check = check
    let manifest = ManifestReader.read(text: draft.text, fileName: check.fileName).partialValue
    let items =
      manifest?.apps.flatMap { app in app.items.map { ManifestItem(app: app.name, item: $0) } } ?? []
    let devices = draft.devices.sorted { $0.silence.microseconds < $1.silence.microseconds }
    findings = items.compactMap { item in
      guard !item.item.descriptor.isFoundByNetwork else { return nil }
      let finds = devices.filter { Self.matches($0, item) }
      let had = devices.filter { device in
        device.items.contains { $0.app == item.app && $0.item == item.item.id }
      }
      return Finding(
        item: item, finds: finds,
        loses: had.filter { device in !finds.contains { $0.address == device.address } })
    }
  }

  /// Whether the item's clauses hold for what the device sent last. Its gate is left out.
  private static func matches(_ device: DeviceLine, _ item: ManifestItem) -> Bool {
    let gate = GateLine(
      range: .default, samples: 0, reports: Int(device.reports), silenceMilliseconds: 0, lostMilliseconds: 0)
    let state = ItemStateLine(app: item.app, item: item.item.id, gate: gate)
    return ObservedDevice(device, [state], frames: []).explanations(of: item).contains(where: \.holds)
  }

  /// Whether the agent would take it.
  public var isAccepted: Bool { check.status == .accepted }

  /// With where the draft was kept, and what puts it in place.
  public func response(kept: (path: String, command: String)? = nil) -> WebResponse {
    .object { json in
      json.member("isAccepted", isAccepted)
      json.objects("diagnostics", check.diagnostics) { json, diagnostic in
        json.member("line", diagnostic.line)
        json.member("keyPath", diagnostic.keyPath)
        json.member("severity", diagnostic.severity.rawValue)
        json.member("message", diagnostic.message)
      }
      json.objects("items", findings) { json, finding in
        json.member("app", finding.item.app)
        json.member("item", finding.item.item.id)
        json.member("count", finding.finds.count)
        json.objects("finds", Array(finding.finds.prefix(Self.namedMax)))
        json.objects("loses", Array(finding.loses.prefix(Self.namedMax)))
      }
      json.member("path", kept?.path)
      json.member("command", kept?.command)
    }
  }
}
