// SPDX-License-Identifier: Apache-2.0

public import AccessorySetupKit
public import Dispatch
import Foundation

/// Finds the app's accessories, and connects to them.
///
/// The accessories are those that the agent authorized for the app; no other device is ever reported. Everything is
/// reported on `queue`, in order. With the manager's last reference, its connections end.
open class CBCentralManager: CBManager, @unchecked Sendable {
  /// What hardware may support. No gateway does.
  public struct Feature: OptionSet, Sendable, BitwiseCopyable {
    /// The bits.
    public let rawValue: UInt
    /// The bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The bits.
    public static var extendedScanAndConnect: Feature { Feature(rawValue: 1 << 0) }
    /// Measuring distances with Channel Sounding.
    public static var channelSounding: Feature { Feature(rawValue: 1 << 10) }
  }

  /// Set it in the initialiser, or on the manager's queue.
  open weak var delegate: (any CBCentralManagerDelegate)?
  private let engine: CentralEngine

  /// Connects to the agent. `queue` is the main queue when it is nil; the options change nothing on a gateway.
  public init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
  ) {
    self.delegate = delegate
    engine = CentralEngine(appQueue: queue ?? .main, source: SessionSource())
    super.init()
    engine.start(self)
  }

  /// Makes a manager with a delegate, which is called on the queue; nil is the main queue.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Makes a manager without a delegate.
  public override init() {
    engine = CentralEngine(appQueue: .main, source: SessionSource())
    super.init()
    engine.start(self)
  }

  /// A manager of the peripherals of any source, for tests.
  package init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, source: any PeripheralSource)
  {
    self.delegate = delegate
    engine = CentralEngine(appQueue: queue ?? .main, source: source)
    super.init()
    engine.start(self)
  }

  deinit { engine.stop() }

  /// No feature that an app can ask for depends on the hardware here.
  open class func supports(_ features: Feature) -> Bool { features.isEmpty }

  // MARK: Peripherals

  /// Returns the peripherals with these identifiers (`ASAccessory.bluetoothIdentifier`) that the app may use. Until the
  /// agent has listed the app's accessories, each identifier gets a peripheral; connecting to a wrong one then fails.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    engine.peripherals(withIdentifiers: identifiers)
  }

  /// Returns the peripherals that this manager is connected to and that have one of the services, as far as they were
  /// discovered.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    engine.connectedPeripherals().filter { peripheral in
      peripheral.services?.contains { serviceUUIDs.contains($0.uuid) } ?? false
    }
  }

  // MARK: Scanning

  /// Whether the manager scans.
  open var isScanning: Bool { engine.isScanning }

  /// Reports the app's accessories as they advertise: each one once, or each advertisement.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
    engine.startScan(
      CentralScan(
        services: serviceUUIDs, solicitedServices: solicited ?? [],
        reportsDuplicates: options?.flag(CBCentralManagerScanOptionAllowDuplicatesKey) ?? false))
  }

  /// Ends the scan.
  open func stopScan() { engine.stopScan() }

  // MARK: Connections

  /// Connects to a peripheral as soon as it is in reach, without a time limit.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    let delay = options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber
    engine.connect(
      peripheral, startDelay: delay?.doubleValue ?? 0,
      isReconnecting: options?.flag(CBConnectPeripheralOptionEnableAutoReconnect) ?? false)
  }

  /// Ends a connection, or gives up making one. The delegate is called without an error.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) { engine.cancel(peripheral) }
}

extension [String: Any] {
  fileprivate func flag(_ key: String) -> Bool {
    (self[key] as? NSNumber)?.boolValue ?? (self[key] as? Bool) ?? false
  }
}
