// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces
import JSON
import Manifest

extension DeviceAddress {
  /// `AA:BB:CC:DD:EE:FF`, the most significant byte first; nil for an anonymous advertiser, which has none.
  public var text: String? {
    type == .anonymous ? nil : Self.text(ofBits: bits)
  }

  private static func text(ofBits bits: UInt64) -> String {
    (0..<6).reversed().map { Hex.digits(bits >> UInt64(8 * $0) & 0xFF, count: 2).uppercased() }
      .joined(separator: ":")
  }
}

extension AddressType {
  public var text: String {
    switch self {
    case .public: "public"
    case .random: "random"
    case .publicIdentity: "publicIdentity"
    case .randomIdentity: "randomIdentity"
    case .anonymous: "anonymous"
    }
  }
}

extension AdvertisingPDU {
  /// The name that the Core Specification gives the PDU (Volume 6, Part B, 2.3).
  public var text: String {
    switch self {
    case .connectable: "ADV_IND"
    case .directed: "ADV_DIRECT_IND"
    case .scannable: "ADV_SCAN_IND"
    case .nonConnectable: "ADV_NONCONN_IND"
    case .scanResponse: "SCAN_RSP"
    case .extended: "ADV_EXT_IND"
    }
  }
}

extension DataStatus {
  public var text: String {
    switch self {
    case .complete: "complete"
    case .incomplete: "incomplete"
    case .truncated: "truncated"
    }
  }
}

extension PHY {
  public var text: String {
    switch self {
    case .le1M: "1M"
    case .le2M: "2M"
    case .coded: "coded"
    }
  }
}

extension Malformation.Kind {
  public var text: String {
    switch self {
    case .lengthPastEnd: "lengthPastEnd"
    case .dataAfterEnd: "dataAfterEnd"
    case .wrongSize: "wrongSize"
    }
  }
}

extension BluetoothUUID {
  /// 4, 8 or 8-4-4-4-12 lower-case digits: the shortest form, whichever size the advertiser used.
  public var text: String { IdentifierText.text(of: self) }
}
