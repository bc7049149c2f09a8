// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestFormat
import VirtualRadio

/// The kinds of device address (Core Specification 5.4, Volume 6, Part B, 1.3).
private enum AddressKind: String, CaseIterable {
  case `public`, `static`, resolvable
  case nonResolvable = "non-resolvable"
  case anonymous
}

extension AddressPlan {
  init?(_ table: TableReader<DeviceKey>) {
    var kind = AddressKind.public
    table.read(.addressType, into: &kind)
    let bits = table.address(.address)
    let rotation = table.duration(.rotation, in: 1_000_000...86_400_000_000).map { Int($0 / 1_000_000) }
    let seconds = rotation ?? 900
    if kind != .resolvable { table.refuse([.identityKey], onlyFor: "address-type = \"resolvable\"") }
    if kind != .resolvable && kind != .nonResolvable {
      table.refuse([.rotation], onlyFor: "address-type = \"resolvable\" or \"non-resolvable\"")
    }
    switch kind {
    case .public, .static:
      table.require(.address)
      guard let bits else { return nil }
      self = kind == .public ? .public(bits) : .staticRandom(bits)
      return
    case .resolvable:
      guard let key = table.identityKey() else { return nil }
      self = .resolvable(key: key, rotationSeconds: seconds)
    case .nonResolvable: self = .nonResolvable(rotationSeconds: seconds)
    case .anonymous: self = .anonymous
    }
    if table.node(.address) != nil { table.report(.addressWithoutUse, at: .address) }
  }
}

extension TableReader<DeviceKey> {
  fileprivate func identityKey() -> Block128? {
    if node(.identityKey) == nil {
      reportMissing(.missing("identity-key", because: "a resolvable address is made with one"))
    }
    return value(.identityKey, .key) { text in
      guard text.utf8.count == 32, let high = Hex.value(text.prefix(16)),
        let low = Hex.value(text.suffix(16))
      else { return nil }
      return Block128(high: high, low: low)
    }
  }
}
