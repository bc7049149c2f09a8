// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Values
import VarlinkClient

/// How the gateway introduces itself to clients.
public struct GatewayIdentity: Equatable, Sendable {
  /// The host's name on the network, without `.local`: Home Assistant finds a device again by it.
  public var name: String
  /// What Home Assistant shows.
  public var friendlyName: String
  /// 48 bits, locally administered; the Bluetooth address is the next one. Made from the machine's id, because an adapter may be
  /// replaced.
  public var address: UInt64
  public var version: String

  public init(name: String, friendlyName: String, address: UInt64, version: String) {
    (self.name, self.friendlyName, self.address, self.version) = (name, friendlyName, address, version)
  }

  public static let projectName = "accessoryd.accessory-esphome"
  /// The version of ESPHome whose protocol this is.
  public static let protocolVersion = "2026.11.0"
  public static let encryption = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"

  /// SHA-256, from which an address can be made.
  public static func digest(of bytes: [UInt8]) -> [UInt8] { Sodium.hash(bytes) }

  /// Twelve lower-case digits.
  public var addressDigits: String { Hex.digits(address, count: 12) }
}

extension APIMessage {
  static func hello(_ identity: GatewayIdentity) -> APIMessage {
    APIMessage(2) { fields in
      fields.number(1, 1)
      fields.number(2, 12)
      fields.text(3, "accessory-esphome \(identity.version)")
      fields.text(4, identity.name)
    }
  }

  static let authenticated = APIMessage(4)
  /// The gateway ends the connection; the client comes back.
  static let goodbye = APIMessage(5)
  static let disconnected = APIMessage(6)
  static let ping = APIMessage(7)
  static let pong = APIMessage(8)
  static let entitiesDone = APIMessage(19)

  static func deviceInfo(_ identity: GatewayIdentity, hasConnections: Bool) -> APIMessage {
    APIMessage(10) { fields in
      fields.text(2, identity.name)
      fields.text(3, AddressText.text(of: identity.address))
      fields.text(4, GatewayIdentity.protocolVersion)
      fields.text(6, "Accessory gateway")
      fields.text(8, GatewayIdentity.projectName)
      fields.text(9, identity.version)
      fields.text(12, "accessoryd")
      fields.text(13, identity.friendlyName)
      // Listening 1, raw reports 32, state and mode 64; connections 2, which clients want with caching, 4.
      fields.number(15, hasConnections ? 103 : 97)
      fields.text(18, AddressText.text(of: identity.address + 1))
      fields.flag(19, true)
    }
  }

  static func time(_ seconds: UInt32) -> APIMessage { APIMessage(37) { $0.word(1, seconds) } }

  static func keyStored(_ isStored: Bool) -> APIMessage { APIMessage(125) { $0.flag(1, isStored) } }

  /// The scanner: its state, its mode, and the one that the gateway is set to.
  static func scanner(_ state: ScannerState, isActive: Bool, isSetActive: Bool) -> APIMessage {
    APIMessage(126) { fields in
      fields.number(1, state.rawValue)
      fields.flag(2, isActive)
      fields.flag(3, isSetActive)
    }
  }

  static func reports(_ reports: [ReportMessage.Report]) -> APIMessage {
    APIMessage(93) { fields in
      for report in reports {
        fields.message(1) { item in
          item.number(1, report.record.identity.bits)
          item.signed(2, Int32(report.record.rssi))
          item.number(3, report.record.identity.type == .public ? 0 : 1)
          item.data(4, report.data)
        }
      }
    }
  }

  static func actionResult(_ call: UInt32, error: String?) -> APIMessage {
    APIMessage(131) { fields in
      fields.number(1, call)
      fields.flag(2, error == nil)
      fields.text(3, error ?? "")
    }
  }
}

/// The states of a scanner (BluetoothScannerState).
enum ScannerState: UInt64 {
  case idle, starting, running, failed, stopping, stopped
}
