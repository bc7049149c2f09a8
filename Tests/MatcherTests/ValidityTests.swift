// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Testing

@Suite("Which descriptors are accepted")
struct ValidityTests {
  typealias Selection = DisplayItem.Selection

  /// What the rules say about an app with one item of this descriptor, everything it names being declared.
  private func problems(_ descriptor: DiscoveryDescriptor, _ selection: Selection = .operator)
    -> [ManifestDiagnostic.Kind]
  {
    var item = DisplayItem(id: "item", name: "Item")
    item.descriptor = descriptor
    item.selection = selection
    if selection == .touch {
      item.descriptor.range = .immediate
      item.gate.isImmediate = true
    }
    var app = App(name: "test", account: .user("test"))
    app.supports = [.bluetooth]
    app.companyIdentifiers = Set([descriptor.companyIdentifier].compactMap(\.self))
    app.services = Set([descriptor.serviceUUID].compactMap(\.self))
    app.names = Set([descriptor.nameSubstring].compactMap(\.self))
    app.items = [item]
    var manifest = GatewayManifest()
    manifest.apps = [app]
    return ManifestRules.diagnostics(in: manifest).map(\.kind)
  }

  private func errors(_ descriptor: DiscoveryDescriptor, _ selection: Selection = .operator)
    -> [ManifestDiagnostic.Kind]
  {
    problems(descriptor, selection).filter { $0.isError }
  }

  @Test("A key alone is accepted and called broad")
  func broad() {
    for descriptor in [DiscoveryDescriptor.company(Sample.company), .service(Sample.service)] {
      #expect(errors(descriptor) == [])
      #expect(problems(descriptor).count == 1)
    }
  }

  @Test("A blob without its key is refused")
  func keyless() {
    #expect(
      errors(.service(Sample.service).manufacturerData([1]))
        == [.manufacturerDataWithoutCompanyIdentifier])
    #expect(
      errors(.company(Sample.company).serviceData([1])) == [.serviceDataWithoutServiceUUID])
    #expect(errors(DiscoveryDescriptor()) == [.nothingToLookFor])
  }

  @Test("A name or an address alone costs a warning, and is refused where no operator looks")
  func nameOrAddressAlone() {
    let name = DiscoveryDescriptor().named("Lumo")
    let address = DiscoveryDescriptor().address("C4:7C:8D")
    for selection in [Selection.operator, .observe] {
      #expect(problems(name, selection) == [.costOfName(isIndexed: false)])
      #expect(
        problems(name.named("Lumo", .anchored), selection) == [.costOfName(isIndexed: true)])
      #expect(problems(address, selection) == [.costOfAddress])
    }
    for selection in [Selection.touch, .automatic] {
      #expect(errors(name, selection) == [.nameAlone(selection)])
      #expect(errors(address, selection).contains(.addressAlone(selection)))
    }
    let app = App(name: "test", account: .user("test"))
    let ofCall = ManifestRules.diagnostics(in: name, of: app).map(\.kind)
    #expect(ofCall.contains(.nameAlone(nil)))
  }

  @Test("A mask of another length than its blob cannot be said")
  func lengths() {
    #expect(MaskedBytes(blob: [1, 2], mask: [1]) == nil)
    #expect(MaskedBytes(blob: [1], mask: [1, 2]) == nil)
  }

  @Test(
    "Hands-free selection needs 16 bits under the mask or a name",
    arguments: [.touch, .automatic] as [Selection])
  func handsFree(selection: Selection) {
    let company = DiscoveryDescriptor.company(Sample.company)
    #expect(!errors(company, selection).isEmpty)
    #expect(!errors(company.manufacturerData([1, 2], mask: [0xFF, 0xFE]), selection).isEmpty)
    #expect(errors(company.manufacturerData([1, 2], mask: [0xFF, 0xFF]), selection) == [])
    #expect(errors(company.manufacturerData([1, 2, 3], mask: [0xF0, 0xFF, 0x0F]), selection) == [])
    #expect(errors(company.named("Lumo"), selection) == [])
    let service = DiscoveryDescriptor.service(Sample.service)
    #expect(!errors(service, selection).isEmpty)
    #expect(errors(service.serviceData([1, 2]), selection) == [])
  }
}
