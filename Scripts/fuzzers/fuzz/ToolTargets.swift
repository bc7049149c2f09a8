// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestEdits
import ManifestFormat
import PropertyList
import SessionClient
import TestSupport

/// Reads an Info.plist of either format. What it declares makes a section of a manifest, or is refused with a sentence.
func fuzzPropertyList(_ bytes: RawSpan) {
  guard let list = try? PropertyList.read(bytes.bytes), let declarations = try? AppDeclarations(list) else {
    return
  }
  let section = declarations.section(named: "app")
  let reading = ManifestReader.read(text: Array("schema = 1\n\(section)".utf8), fileName: "")
  precondition(reading.manifest != nil || !reading.diagnostics.isEmpty, "refused without a reason")
}

/// A manifest, a zero, and a suggestion: an item is added to the manifest's first app, and a setting is changed.
func fuzzEdit(_ bytes: RawSpan) {
  let parts = bytes.bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
  let item = apps(parts.last ?? []).first?.items.first.map {
    SuggestedItem(name: $0.name, descriptor: $0.descriptor, comments: [])
  }
  guard let text = parts.first, let manifest = ManifestReader.read(text: text, fileName: "").manifest else {
    return
  }
  let change = try? ManifestSettings.set([(key: .board, value: "lab")], in: text)
  if let change { precondition(apps(change) == manifest.apps, "a setting changes no app") }
  guard let item, let app = manifest.apps.first else { return }
  guard let added = try? ManifestAddition.add(item, to: app.name, of: text, fileName: "") else { return }
  let after = apps(added.text)
  precondition(
    after.count == manifest.apps.count && after.dropFirst() == manifest.apps.dropFirst(), "one app changes")
  precondition(after.first?.items.dropLast() == app.items[...], "its other items stay")
}

private func apps(_ text: [UInt8]) -> [App] {
  ManifestReader.read(text: text, fileName: "").manifest?.apps ?? []
}

/// An app with calls of each kind, and an agent that sends anything: a byte with the length, then bytes for the connection
/// that was opened last. A length of 0 lets the next deadline pass, and one of 255 ends a connection.
func fuzzSession(_ bytes: RawSpan) {
  var client = SessionClient(app: "lights")
  var time = Duration.zero
  var links: [SessionLinkID] = []
  var completed: Set<UInt64> = []
  var rest = bytes.bytes[...]

  func step(_ input: SessionInput) {
    var opened: [SessionLinkID] = []
    for action in client.step(input, at: time) {
      switch action {
      case .open(let link, _): opened.append(link)
      case .close(let link): links.removeAll { $0 == link }
      case .deliver(.completion(let call, _)):
        precondition(completed.insert(call.number).inserted, "completed twice")
      case .send, .closeDescriptor, .deliver: break
      }
    }
    for link in opened {
      links.append(link)
      step(.linkOpened(link))
    }
  }

  step(.activate)
  let requests = sessionRequests
  for (number, request) in requests.enumerated() { step(.begin(CallID(UInt64(number)), request)) }
  while let length = rest.popFirst() {
    switch (length, links.last) {
    case (0, _):
      time = max(time, client.nextDeadline ?? time)
      step(.timePassed)
    case (255, let link?):
      links.removeLast()
      step(.linkEnded(link, reason: "fuzzed", isPermanent: false))
    case (_, let link?):
      step(.received(link, Array(rest.prefix(Int(length)))))
      rest = rest.dropFirst(Int(length))
    case (_, nil): break
    }
  }
  step(.invalidate(isReported: true))
  precondition(completed.count == requests.count, "a call was lost")
}

/// Made again for every input: to the leak detector, what only a global value refers to is lost.
private var sessionRequests: [SessionRequest] {
  let accessory = String(repeating: "a", count: 32)
  return [
    .showPicker(items: nil, settings: nil), .finishPickerDiscovery, .renameAccessory(accessory, options: 0),
    .removeAccessory(accessory), .finishAuthorization(accessory, ssid: "net", bridgingIdentifier: nil),
    .resolve(accessory), .readRSSI(accessory), .advertisements(interval: nil),
  ]
}

// MARK: - Seeds

var propertyListSeeds: [[UInt8]] {
  let list = """
    <plist version="1.0"><dict><key>NSAccessorySetupSupports</key><array><string>Bluetooth</string></array>
    <key>NSAccessorySetupBluetoothServices</key><array><string>FE0F</string></array>
    <key>NSAccessorySetupBluetoothCompanyIdentifiers</key><array><integer>76</integer></array>
    <key>a</key><data>AAA=</data><key>b</key><real>1.5</real><key>c</key><true/><key>d</key><![CDATA[x]]></dict></plist>
    """
  // An array of a string, a number and itself: marker, objects, offsets, trailer.
  let binary =
    Array("bplist00".utf8) + [0xA3, 1, 2, 0, 0x51, 0x61, 0x10, 76, 8, 12, 14]
    + [UInt8](repeating: 0, count: 6)
    + [1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, 16]
  return [Array(list.utf8), binary]
}

var editSeeds: [[UInt8]] {
  let manifest = """
    schema = 1 # keep
    [gateway]
    radio = "any"
    [app.lights]
    user = "daemon"
    supports = ["Bluetooth"]
    bluetooth-services = [ "fe0f", ] # list
    [[app.lights.item]]
    name = "Lamp"
    descriptor.bluetooth-service-uuid = "fe0f"
    """
  var descriptor = DiscoveryDescriptor()
  descriptor.companyIdentifier = 0x0EEE
  descriptor.manufacturerData = MaskedBytes(blob: [0xA5, 0x5A])
  descriptor.nameSubstring = Array("Lu\"mo".utf8)
  let item = SuggestedItem(name: "Lumo", descriptor: descriptor, comments: ["# From 20 reports."])
  return [Array(manifest.utf8) + [0] + Array(item.manifest.utf8)]
}

var sessionSeeds: [[UInt8]] {
  let replies = [
    #"{"parameters":{"session":"s","app":"lights","epoch":"e","sequence":0},"continues":true}"#,
    #"{"parameters":{"event":{"sequence":0,"epoch":"e","time":1.0,"event":"activated","eventType":10},"accessories":[]},"#
      + #""continues":true}"#,
    #"{"error":"io.accessoryd.Session.Invalidated","parameters":{"code":400,"reason":"r","cure":"c"}}"#,
    #"{"parameters":{"address":"00:00:00:00:00:01","addressType":"random"}}"#,
  ]
  let framed = replies.map { reply in
    let bytes = Array(reply.utf8) + [0]
    return stride(from: 0, to: bytes.count, by: 200).flatMap { start -> [UInt8] in
      let part = bytes[start..<min(start + 200, bytes.count)]
      return [UInt8(part.count)] + part
    }
  }
  return framed + [framed.flatMap(\.self) + [0, 255, 0, 0]]
}
