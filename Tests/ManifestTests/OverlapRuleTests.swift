// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing
import VirtualRadio

/// The rule looks items up; the model compares every pair.
@Suite("Items that match the same device")
struct OverlapRuleTests {
  private static func descriptor(_ dice: inout SeededGenerator) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    let kind = dice.number(below: 5)
    if kind == 4 {
      let names = ["Cam-1", "Cam-2", "Cam-", "Home"].map { Array($0.utf8) }
      let name = names[dice.number(below: names.count)]
      if dice.chance(perMille: 500) { descriptor.ssid = name } else { descriptor.ssidPrefix = name }
      return descriptor
    }
    if kind < 2 {
      descriptor.companyIdentifier = UInt16(1 + dice.number(below: 2))
      descriptor.manufacturerData = data(&dice)
    }
    if kind == 1 || kind == 2 {
      descriptor.serviceUUID = BluetoothUUID(short: UInt32(1 + dice.number(below: 2)))
      descriptor.serviceData = data(&dice)
    }
    if kind == 3 || dice.chance(perMille: 200) {
      let names = ["Lumo", "Lumo bulb", "bulb", "Tag"]
      descriptor.nameSubstring = Array(names[dice.number(below: names.count)].utf8)
    }
    if dice.chance(perMille: 200) {
      let bits: UInt64 = dice.chance(perMille: 500) ? 0xC47C_8D00_0000 : 0xC47D_0000_0000
      descriptor.addressPrefix = AddressPrefix(of: bits, byteCount: UInt8(1 + dice.number(below: 3)))
    }
    return descriptor
  }

  private static func data(_ dice: inout SeededGenerator) -> MaskedBytes? {
    let masks: [[UInt8]] = [[], [0xFF], [0xFF, 0xFF], [0x00, 0x0F], [0xF0, 0x01, 0xFF]]
    let mask = masks[dice.number(below: masks.count)]
    return MaskedBytes(blob: mask.map { _ in UInt8(dice.number(below: 3)) }, mask: mask)
      .flatMap { $0.blob.isEmpty ? nil : $0 }
  }

  private static func manifest(_ dice: inout SeededGenerator) -> GatewayManifest {
    var manifest = GatewayManifest()
    for name in ["a", "b"] {
      var app = App(name: name, account: .user(name))
      app.items = (0..<(1 + dice.number(below: 20))).map { index in
        var item = DisplayItem(id: "\(index)", name: "\(index)")
        item.selection = DisplayItem.Selection.allCases[dice.number(below: 4)]
        item.descriptor = descriptor(&dice)
        return item
      }
      manifest.apps.append(app)
    }
    return manifest
  }

  /// Each item's first overlap with an item before it: those with its company come first, then those with its service.
  private static func expected(_ manifest: GatewayManifest) -> [String] {
    var lines: [String] = []
    var before: [ManifestItem] = []
    for item in manifest.items where item.item.selection != .observe {
      let own = item.item.descriptor
      let sharers =
        own.hasKey
        ? before.filter { $0.shares(own.companyIdentifier, \.companyIdentifier) }
          + before.filter { $0.shares(own.serviceUUID, \.serviceUUID) }
        : before.filter {
          !$0.item.descriptor.hasKey && $0.item.descriptor.isFoundByNetwork == own.isFoundByNetwork
        }
      let met = sharers.filter { $0.app == item.app || ($0.isHandsFree && item.isHandsFree) }
      for other in met {
        guard let overlap = DescriptorOverlap(own, other.item.descriptor) else { continue }
        let kind = ManifestDiagnostic.Kind.overlap(overlap, app: other.app, id: other.item.id)
        lines.append("\(item.path) \(kind.sentence)")
        break
      }
      before.append(item)
    }
    return lines
  }

  private static func found(_ manifest: GatewayManifest) -> [String] {
    ManifestRules.diagnostics(in: manifest).compactMap { diagnostic in
      guard diagnostic.kind.sentence.contains("match"), diagnostic.kind.sentence.contains("this item"),
        case .key(let own) = diagnostic.path.components[1],
        case .index(let index) = diagnostic.path.components[3]
      else { return nil }
      return "\(own)/\(index) \(diagnostic.kind.sentence)"
    }
  }

  @Test("Each item is reported with the first other one", arguments: 1...200 as ClosedRange<UInt64>)
  func random(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    let manifest = Self.manifest(&dice)
    #expect(Self.found(manifest) == Self.expected(manifest))
  }

  @Test("One of many items of a company is found by its data or its name")
  func many() {
    var manifest = GatewayManifest()
    var app = App(name: "a", account: .user("a"))
    app.items = (0..<1000).map { index in
      var item = DisplayItem(id: "\(index)", name: "\(index)")
      item.descriptor.companyIdentifier = 1
      let value = [UInt8(index & 0xFF), UInt8(index >> 8)]
      if index % 2 == 0 {
        item.descriptor.manufacturerData = MaskedBytes(blob: value)
      } else {
        item.descriptor.nameSubstring = Array("Item \(1000 + index)".utf8)
      }
      return item
    }
    app.items[998].descriptor.manufacturerData = app.items[500].descriptor.manufacturerData
    app.items[999].descriptor.nameSubstring = app.items[501].descriptor.nameSubstring
    manifest.apps = [app]
    #expect(
      Self.found(manifest)
        == [(998, 500), (999, 501)].map {
          "a/\($0) whatever matches a/\($1) matches this item too; narrow this item's descriptor"
        })
  }
}

extension ManifestItem {
  fileprivate var isHandsFree: Bool { item.selection == .touch || item.selection == .automatic }

  fileprivate func shares<Key: Equatable>(_ key: Key?, _ path: KeyPath<DiscoveryDescriptor, Key?>) -> Bool {
    key != nil && item.descriptor[keyPath: path] == key
  }
}
