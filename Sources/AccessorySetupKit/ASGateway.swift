// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Interfaces
import SensorFormats

// What only a gateway has.

/// Where the agent is, and which app this program is.
public struct ASGateway: Hashable, Sendable {
  /// The agent's socket.
  public var socketPath: String
  /// The app's name in the manifest; nil when the account is one app.
  public var app: String?

  /// From `ACCESSORYD_SOCKET` and `ACCESSORYD_APP`; without them, the agent's usual socket and the account's only app.
  public init() {
    let environment = ProcessInfo.processInfo.environment
    socketPath = environment["ACCESSORYD_SOCKET"] ?? "/run/accessoryd/io.accessoryd"
    app = environment["ACCESSORYD_APP"]
  }

  /// Takes the agent's socket, and the app's name in the manifest.
  public init(socketPath: String, app: String? = nil) {
    self.socketPath = socketPath
    self.app = app
  }
}

/// The state of the gateway's Bluetooth radio.
@nonexhaustive public enum ASRadioState: String, Sendable, BitwiseCopyable {
  /// The agent did not say, or cannot be reached.
  case unknown
  /// The radio works.
  case on
  /// Switched off, for instance by rfkill.
  case off
  /// The agent brings it back after an error.
  case recovering
  /// There is no adapter.
  case absent
}

/// What an accessory of the app advertised.
public struct ASAdvertisement: @unchecked Sendable {
  /// Why the advertisement is reported.
  @nonexhaustive public enum Event: String, Sendable, BitwiseCopyable {
    /// The accessory came in sight.
    case found
    /// It advertises something new.
    case changed
    /// It has been silent for too long, or left the range of an immediate item.
    case lost
    /// It was received again.
    case reading
  }

  /// The accessory that sent it.
  public let accessory: ASAccessory
  /// Why it is reported.
  public let event: Event
  /// Whether the accessory is in sight.
  public let isInSight: Bool
  /// dBm.
  public let rssi: Int?
  /// The filtered level that the agent decides with, in dBm.
  public let filteredRSSI: Int?
  /// Seconds between the report and the agent's reply.
  public let age: TimeInterval
  /// Advertising data and scan response, in the AD format.
  public let data: Data
  package let isConnectable: Bool?

  init(_ line: AdvertisementLine, of accessory: ASAccessory) {
    self.accessory = accessory
    event = Event(rawValue: line.event.rawValue) ?? .reading
    isInSight = line.inSight
    rssi = line.rssi.map { Int($0) }
    filteredRSSI = line.filteredRSSI.map { Int($0) }
    age = TimeInterval(line.age.microseconds) / 1_000_000
    data = Data(line.data)
    isConnectable = line.connectable
  }

  /// The data by the `CBAdvertisementData…` keys.
  public var bluetoothAdvertisementData: [AnyHashable: Any] {
    AdvertisementDictionary([UInt8](data), isConnectable: isConnectable).values
  }

  /// What the data say in open, documented formats, such as BTHome 2 or Ruuvi's; empty when they say nothing so.
  public var values: [Value] { SensorPayload([UInt8](data)).values.map(Value.init) }

  /// A value that a device advertises.
  public struct Value: Hashable, Sendable {
    /// What a value says.
    @nonexhaustive public enum Content: Hashable, Sendable {
      /// A measurement, a level or a count.
      case number(Double)
      /// On or off, open or closed, there or not.
      case flag(Bool)
      /// A text.
      case text(String)
      /// What was done to the device, such as "press": no state.
      case event(String)
    }

    /// "temperature", "battery", "motion"; the second one of a name is "temperature_2".
    public let name: String
    /// What it says.
    public let content: Content
    /// The number's unit: "°C", "%", "hPa".
    public let unit: String?

    init(_ value: SensorValue) {
      (name, unit) = (value.name, value.unit)
      content =
        switch value.content {
        case .number(let number): .number(Double("\(number)") ?? .nan)
        case .flag(let isSet): .flag(isSet)
        case .text(let text): .text(text)
        case .event(let event): .event(event)
        }
    }
  }
}

/// The address of an accessory.
public struct ASBluetoothAddress: Hashable, Sendable {
  /// `AA:BB:CC:DD:EE:FF`; the most recent one when the accessory changes its address.
  public let address: String
  /// Whether it is a random address.
  public let isRandom: Bool
}

extension ASAccessory {
  /// What the agent knows about the accessory's bond.
  @nonexhaustive public enum Bond: String, Sendable, BitwiseCopyable {
    /// There is no bond.
    case none
    /// The device and the gateway have keys.
    case bonded
    /// The device no longer accepts the keys it had.
    case lost
  }

  /// What the agent knows about the accessory's bond.
  public var bond: Bond { Bond(rawValue: line.bond.rawValue) ?? .none }
  /// Whether the device can be recognised again. False when it changes its address and gave no key.
  public var isIdentityDurable: Bool { line.isIdentityDurable }
  /// The item's id in the manifest; nil when the app supplied the item.
  public var manifestItem: String? { line.item }
}
