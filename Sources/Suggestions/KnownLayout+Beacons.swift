// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Interfaces
import Manifest

/// Layouts of advertising data that their makers publish. An item for a device of such a layout asks for the type of
/// the frame and for the model, never for readings, battery or counters.
///
/// Each function returns nil for a device that does not have the layout.
enum KnownLayout {
  /// Model before frame: a layout that names the model comes first.
  private static let all: [@Sendable (LastingFields) -> SuggestionCandidate?] = [
    shelly, switchBot, switchBotMaker, xiaomi, govee, ruuvi, bthomeWithName, bthome, iBeacon, altBeacon,
    eddystone,
    fastPair, continuity,
  ]

  /// The items for a source: one for each layout that it has. Whatever the layout, none asks for the device's own address.
  static func candidates(for fields: LastingFields) -> [SuggestionCandidate] {
    let own = OwnAddress(fields.address)
    return all.compactMap { layout in
      guard var candidate = layout(fields) else { return nil }
      candidate.leaveOut(own)
      return candidate.descriptor.isMet(by: fields.source) ? candidate : nil
    }
  }

  private static let apple: UInt16 = 0x004C

  /// Type 02, length 15, proximity UUID, major, minor, measured power
  /// (Apple, "Proximity Beacon Specification", Release R1, 2).
  @Sendable private static func iBeacon(_ source: LastingFields) -> SuggestionCandidate? {
    guard let frame = source.data(of: apple)?.frame([0x02, 0x15], bytesMin: 23) else { return nil }
    var candidate = SuggestionCandidate("iBeacon", company: apple)
    candidate.ask(
      lasting(frame[2..<18], source), after: [0x02, 0x15], called: "the proximity UUID",
      saying: ", which all beacons of one owner share", leavingOut: "major, minor and power")
    return candidate
  }

  /// BE AC, 20 bytes of identifier of which the first 16 name the organisation, reference RSSI, reserved
  /// (AltBeacon, "AltBeacon Protocol Specification v1.0", Packet Format). Every company may send it.
  @Sendable private static func altBeacon(_ source: LastingFields) -> SuggestionCandidate? {
    for company in source.companies {
      guard let frame = company.data.frame([0xBE, 0xAC], bytesMin: 24) else { continue }
      var candidate = SuggestionCandidate("AltBeacon", company: company.key)
      candidate.ask(
        lasting(frame[2..<18], source), after: [0xBE, 0xAC], called: "the identifier of the organisation",
        leavingOut: "the last 4 bytes of the identifier, the reference level and the byte of the maker")
      return candidate
    }
    return nil
  }

  private static let eddystoneService = BluetoothUUID(short: 0xFEAA)

  /// Frame type in the first byte: 00 UID, 10 URL, 20 TLM, 30 EID
  /// (Google, "Eddystone Protocol Specification", Frame Types). A beacon sends several of them in turn.
  @Sendable private static func eddystone(_ source: LastingFields) -> SuggestionCandidate? {
    guard let data = source.data(of: eddystoneService) else { return nil }
    var candidate: SuggestionCandidate
    if let uid = data.frame([0x00], bytesMin: 18) {
      candidate = SuggestionCandidate("Eddystone-UID", service: eddystoneService)
      candidate.ask(
        lasting(uid[2..<12], source), after: [0x00, .any], called: "the namespace",
        saying: ", which all beacons of one owner share", leavingOut: "power and instance")
    } else if let url = data.frame([0x10], bytesMin: 4), url[2].value & url[2].mask & 0xFC == 0 {
      candidate = SuggestionCandidate("Eddystone-URL", service: eddystoneService)
      candidate.ask(
        Array(lasting(url[2...], source).prefix(urlHost(url[2...]).count)), after: [0x10, .any],
        called: "the host of the URL", leavingOut: "power and the rest of the URL")
    } else if let type = eddystoneType(data) {
      candidate = SuggestionCandidate(
        type.name ?? "a frame of its own on Eddystone's service", service: eddystoneService,
        "The item asks for the type of the frame alone; identifiers that rotate and "
          + "readings are left out.")
      candidate.ask([BytePattern(type.value)])
      (candidate.isUndocumented, candidate.needsUnits) = (type.name == nil, type.name == nil)
    } else {
      return nil
    }
    return candidate
  }

  /// A frame of which only the type is asked for: EID, TLM, or without a name the only one that the device sends.
  private static func eddystoneType(_ data: KeyData) -> (name: String?, value: UInt8)? {
    if data.frame([0x30], bytesMin: 10) != nil { return ("Eddystone-EID", 0x30) }
    if data.frame([0x20], bytesMin: 14) != nil { return ("Eddystone-TLM", 0x20) }
    guard let first = data.all.first, first.mask == 0xFF else { return nil }
    return (nil, first.value)
  }

  /// The bytes of a field that never changed and are not the device's own address.
  private static func lasting(_ field: ArraySlice<BytePattern>, _ source: LastingFields) -> [BytePattern] {
    OwnAddress(source.address).removed(from: Array(field))
  }

  /// The scheme and the host: up to a slash, or to a code that stands for the end of a host
  /// ("Eddystone-URL", HTTP URL encoding: 00 to 0D).
  private static func urlHost(_ url: ArraySlice<BytePattern>) -> ArraySlice<BytePattern> {
    let same = url.prefix { $0.mask == 0xFF }
    guard let end = same.dropFirst().firstIndex(where: { $0.value <= 0x0D || $0.value == UInt8(ascii: "/") })
    else { return same }
    return same[...end]
  }

  private static let fastPairService = BluetoothUUID(short: 0xFE2C)

  /// Three bytes of model identifier while a device can be paired; afterwards a byte of version and flags, and account
  /// data that changes (Google, "Fast Pair Service", Provider Advertising Signal, Advertising Payload).
  @Sendable private static func fastPair(_ source: LastingFields) -> SuggestionCandidate? {
    guard let data = source.data(of: fastPairService) else { return nil }
    var candidate = SuggestionCandidate("Fast Pair", service: fastPairService)
    if let model = data.frame(bytesMin: 3, bytesMax: 3), model.allSatisfy({ $0.mask == 0xFF }) {
      candidate.notes = [
        "The item asks for the model identifier. The device sends it while it can be paired, and not later."
      ]
      candidate.ask(model)
    } else if let first = data.all.first, first.mask & 0xF0 == 0xF0 {
      candidate.notes = [
        "The item asks for the version of the frame: this device is paired, and then no byte names its model. Put it "
          + "into pairing mode to get an item for the model."
      ]
      candidate.ask([first.masked(0xF0)])
    } else {
      candidate.notes = ["The item asks for the service alone, because the data after it changed."]
    }
    return candidate
  }

  /// Messages of Apple's own devices: type, length, content, one after the other. Type 07 has the model of headphones
  /// (furiousMAC, "Continuity", Messages; Apple publishes none of them).
  @Sendable private static func continuity(_ source: LastingFields) -> SuggestionCandidate? {
    guard let data = source.data(of: apple) else { return nil }
    var candidate = SuggestionCandidate("Apple Continuity", company: apple)
    if data.all.count >= 5, data.all.starts(with: [0x07, 0x19]) {
      candidate.ask(
        [data.all[3], data.all[4]], after: [0x07, .any, .any], called: "the model of the headphones",
        leavingOut: "state and battery")
    } else {
      candidate.notes = [
        "The item finds every device of Apple: what such a device sends depends on what its owner does with it."
      ]
    }
    return candidate
  }
}
