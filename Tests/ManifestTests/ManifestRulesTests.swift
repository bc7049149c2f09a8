// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Testing

/// What the golden files of the format cannot show: rules over values, without a text.
@Suite("The manifest's rules")
struct ManifestRulesTests {
  private static let item = ManifestKeyPath().appending(RootKey.app).appending("a").appending(AppKey.item)
    .appending(index: 0)

  private static func manifest(_ change: (inout DisplayItem) -> Void) -> GatewayManifest {
    var item = DisplayItem(id: "i", name: "I")
    item.descriptor.companyIdentifier = 1
    item.descriptor.manufacturerData = MaskedBytes(blob: [1, 2])
    change(&item)
    var app = App(name: "a", account: .user("u"))
    app.supports = [.bluetooth]
    app.companyIdentifiers = [1]
    app.items = [item]
    var manifest = GatewayManifest()
    manifest.apps = [app]
    return manifest
  }

  @Test("A plain item breaks no rule")
  func plain() {
    #expect(ManifestRules.diagnostics(in: Self.manifest { _ in }) == [])
  }

  @Test("A rule is silent where the text is illegible")
  func illegible() {
    let manifest = Self.manifest { $0.descriptor = DiscoveryDescriptor() }
    let descriptor = Self.item.appending(ItemKey.descriptor)
    #expect(
      ManifestRules.diagnostics(in: manifest) == [
        ManifestDiagnostic(path: descriptor, kind: .nothingToLookFor)
      ]
    )
    let key = descriptor.appending(DescriptorKey.serviceUUID)
    #expect(ManifestRules.diagnostics(in: manifest, unreadable: [key]) == [])
  }

  @Test("An undeclared identifier is not reported while the declaration is illegible")
  func illegibleDeclaration() {
    let manifest = Self.manifest { $0.descriptor.companyIdentifier = 2 }
    let path = Self.item.appending(ItemKey.descriptor).appending(DescriptorKey.companyIdentifier)
    #expect(
      ManifestRules.diagnostics(in: manifest) == [
        ManifestDiagnostic(path: path, kind: .undeclared(company: 2))
      ])
    let declaration = ManifestKeyPath().appending(RootKey.app).appending("a").appending(
      AppKey.companyIdentifiers
    )
    .appending(index: 3)
    #expect(ManifestRules.diagnostics(in: manifest, unreadable: [declaration]) == [])
  }

  @Test(
    "Fifteen mask bits are too few for a touch, sixteen are enough", arguments: [(0xFE, false), (0xFF, true)])
  func maskBits(lastMask: UInt8, isAccepted: Bool) {
    let manifest = Self.manifest {
      $0.selection = .touch
      $0.descriptor.range = .immediate
      $0.descriptor.manufacturerData = MaskedBytes(blob: [1, 2], mask: [0xFF, lastMask])
    }
    #expect(ManifestRules.diagnostics(in: manifest).isEmpty == isAccepted)
  }

  @Test("A network's name of NULs alone never matches, and one with other bytes may")
  func hiddenNetwork() {
    for (name, isHidden) in [([0, 0], true), ([0], true), ([0, 0x41], false)] as [([UInt8], Bool)] {
      var manifest = Self.manifest {
        $0.descriptor = DiscoveryDescriptor()
        $0.descriptor.ssid = name
      }
      manifest.gateway.wifi = "wlan0"
      manifest.apps[0].supports = [.bluetooth, .wifi]
      let kinds = ManifestRules.diagnostics(in: manifest).map(\.kind)
      #expect(kinds == (isHidden ? [.hiddenNetwork] : []))
    }
  }

  @Test("An item is not said to lack an interface that the manifest names with a mistake")
  func illegibleInterface() {
    var manifest = Self.manifest {
      $0.descriptor = DiscoveryDescriptor()
      $0.descriptor.ssid = [0x41]
    }
    manifest.apps[0].supports = [.bluetooth, .wifi]
    #expect(ManifestRules.diagnostics(in: manifest).map(\.kind) == [.wifiInterfaceMissing])
    let interface = ManifestKeyPath().appending(RootKey.gateway).appending(GatewayKey.wifi)
    #expect(ManifestRules.diagnostics(in: manifest, unreadable: [interface]) == [])
  }

  @Test("Company 0x0000 is a company")
  func companyZero() {
    var manifest = Self.manifest { $0.descriptor.companyIdentifier = 0 }
    #expect(ManifestRules.diagnostics(in: manifest).map(\.kind) == [.undeclared(company: 0)])
    manifest.apps[0].companyIdentifiers = [0]
    #expect(ManifestRules.diagnostics(in: manifest) == [])
  }
}
