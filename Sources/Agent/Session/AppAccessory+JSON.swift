// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Registry
import Setup
import Explanation

extension AppAccessory {
  /// The members of an `Accessory`; what is not there is left out.
  func writeMembers(to json: inout JSONWriter) {
    json.member("identifier", identifier.text)
    json.member("displayName", displayName)
    json.member("state", state.rawValue)
    if let item { json.member("item", item) }
    json.object("descriptor") { DescriptorFields.write(descriptor, to: &$0) }
    if let alternate { json.object("alternate") { DescriptorFields.write(alternate, to: &$0) } }
    if let bluetoothIdentifier { json.member("bluetoothIdentifier", bluetoothIdentifier.text) }
    if let ssid { json.member("ssid", networkName: ssid) }
    if let bridgingIdentifier {
      json.member("bluetoothTransportBridgingIdentifier", Hex(Self.sixBytes(of: bridgingIdentifier)))
    }
    json.member("bond", bond.rawValue)
    json.member("isIdentityDurable", isIdentityDurable)
  }

  /// Most significant first.
  private static func sixBytes(of number: UInt64) -> [UInt8] {
    stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }
}

extension JSONWriter {
  /// A member with a network's name, and one more, its key ending in `Hex`, when it had to be altered. A network's name
  /// may hold NUL (IEEE 802.11-2020, 9.4.2.2), which no text of a message may.
  mutating func member(_ key: String, networkName bytes: [UInt8]) {
    guard bytes.contains(0) else { return member(key, AirText(bytes)) }
    // No byte of UTF-8, so that it becomes U+FFFD.
    member(key, AirText(bytes.map { $0 == 0 ? 0xFF : $0 }).repaired)
    member(key + "Hex", Hex(bytes))
  }
}
