// SPDX-License-Identifier: Apache-2.0

package import AccessorySetupKit
package import Dispatch

/// Where a central manager gets its peripherals from: the agent, or a model in tests. All methods are called on the
/// queue of ``start(on:receive:)``, where also every closure is called.
package protocol PeripheralSource: AnyObject, Sendable {
  /// Begins to report. Called once, first.
  func start(on queue: DispatchQueue, receive: @escaping @Sendable (SourceEvent) -> Void)

  /// Connects to a peripheral, without a time limit. `completion` is called once: with a descriptor, which it owns, or
  /// with the reason. After ``PendingConnection/cancel()`` it may be called or not, and a descriptor is closed by the
  /// receiver.
  func connect(
    to identifier: UUID, completion: @escaping @Sendable (Result<Int32, ConnectionRefusedError>) -> Void
  ) -> any PendingConnection

  /// Reads the signal strength of a connection, in dBm.
  func readRSSI(of identifier: UUID, completion: @escaping @Sendable (Result<Int, CBError>) -> Void)

  /// Begins or ends reporting advertisements.
  func setScanning(_ mode: ScanMode)

  /// Ends everything. Nothing is reported afterwards.
  func stop()
}

/// Which advertisements a ``PeripheralSource`` reports.
package enum ScanMode: Sendable {
  case off
  /// Those that say something new.
  case changes
  /// All of them, as often as the source allows.
  case readings
}

/// A connection that is being made.
package protocol PendingConnection: Sendable {
  func cancel()
}

/// What a ``PeripheralSource`` reports.
package enum SourceEvent: Sendable {
  /// The state of the radio and of the way to it; ``CBManagerState/poweredOn`` when all is well.
  case radio(CBManagerState)
  /// The app's authorized accessories, all of them: identifiers with names.
  case accessories([UUID: String])
  case advertisement(SourceAdvertisement)
}

/// An advertisement of one of the app's accessories.
package struct SourceAdvertisement: Sendable {
  package let identifier: UUID
  /// The values by their `CBAdvertisementData…` keys, made when the app receives them.
  package let data: @Sendable () -> [String: Any]
  /// The services that it advertises, and those that it looks for.
  package let services: [CBUUID]
  package let solicitedServices: [CBUUID]
  /// dBm; 127 when it is not known.
  package let rssi: Int
  /// The name that it advertises.
  package let name: String?

  package init(
    identifier: UUID, services: [CBUUID], solicitedServices: [CBUUID] = [], rssi: Int, name: String? = nil,
    data: @escaping @Sendable () -> [String: Any]
  ) {
    self.identifier = identifier
    self.services = services
    self.solicitedServices = solicitedServices
    self.rssi = rssi
    self.name = name
    self.data = data
  }
}

/// Why a connection was not made.
package struct ConnectionRefusedError: Error, Sendable {
  /// What the app receives when trying again is useless.
  package let error: any Error
  /// Whether a later attempt may succeed, for instance because the accessory is out of reach.
  package let isTemporary: Bool

  package init(_ error: any Error, isTemporary: Bool) {
    self.error = error
    self.isTemporary = isTemporary
  }
}
