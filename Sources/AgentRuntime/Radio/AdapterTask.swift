// SPDX-License-Identifier: GPL-3.0-or-later

import BlueZ
import Controller
import KernelNetworks
import LinuxSystem
import Manifest
import Setup
import Synchronization
import Wireless

/// A request to the *devices* worker.
enum AdapterTask: Equatable, Sendable {
  case open(RadioRequest)
  /// Performs a recovery action on the adapter, and opens it.
  case recover(RecoveryAction, RadioRequest, settleMilliseconds: Int)
  /// Closes an adapter, which may take the kernel seconds.
  case close(OpenAdapter)
  /// Takes an adapter up again that was up before the agent opened it.
  case restore(UInt16)
  /// Stores the state that the agent would leave in an adapter if it were killed.
  case note(KernelScanState, index: UInt16, KernelScanStateFile)
  /// Looks whether bluetoothd runs.
  case findBluetoothd
  /// Reads the devices that BlueZ knows.
  case readKnownDevices
  /// Reads the networks that an interface knows, or starts a scan for networks and does not wait for its end.
  case networks(NetworkScanPlan.Action)

  /// Returns what performs tasks, one after the other.
  static func performer() -> @Sendable (AdapterTask) -> AdapterTaskResult {
    let networks = KernelNetworkScan()
    return { $0.run(networks) }
  }

  func run(_ networks: KernelNetworkScan) -> AdapterTaskResult {
    switch self {
    case .open(let request): return .opened(RadioOpening.open(request))
    case .recover(let action, let request, let settle):
      return .opened(RadioOpening.recover(action, request, settleMilliseconds: settle))
    // The last reference to the adapter is that of the task.
    case .close: return .done
    case .restore(let index):
      // Without Bluetooth there is nothing to take up.
      try? AdapterOpener().restore(index)
      return .done
    case .note(let state, let index, let file):
      file.note(state, index)
      return .done
    case .findBluetoothd: return findBluetoothd()
    case .readKnownDevices: return readKnownDevices()
    case .networks(.read(let number, let interface)):
      return .networks(number, networks.readNetworks(of: interface))
    case .networks(.startScan(let number, let interface)):
      return .networkScan(number, networks.startScan(on: interface))
    }
  }

  private func findBluetoothd() -> AdapterTaskResult {
    guard let process = RunningProcess.bluetoothd() else { return .bluetoothd(nil) }
    return .bluetoothd(SharedDescriptor(process))
  }

  private func readKnownDevices() -> AdapterTaskResult {
    do throws(KnownDeviceError) {
      let devices = try KnownDeviceSource().read()
      let bonded = devices.filter(\.isPaired).map(\.address)
      return .knownDevices(KnownDevices(devices.map(\.address), bonded: Set(bonded)))
    } catch {
      return .knownDevices(KnownDevices([], failure: error.reason))
    }
  }
}

enum AdapterTaskResult: Sendable {
  case opened(LoopRadio.Opening)
  /// Its process, whose descriptor becomes readable when it ends; nil if it does not run.
  case bluetoothd(SharedDescriptor?)
  case knownDevices(KnownDevices)
  case networks(UInt64, Result<NetworkReading, WirelessError>)
  case networkScan(UInt64, Result<ScanStart, WirelessError>)
  case done
}

/// A radio that the agent wants to open.
struct RadioRequest: Equatable, Sendable {
  let selection: RadioSelection
  let access: Gateway.Access
  /// The address of the adapter that was open before, possibly under another index.
  var knownAddress: UInt64?
  /// The socket's folder, for files that need not outlive the system.
  let folder: String

  /// The path at which the recovery unit expects requests.
  var recoveryPath: String { folder + "/recovery-request" }
  var kernelScanStateFile: KernelScanStateFile { KernelScanStateFile(path: folder + "/scan-remains") }

  /// Whether it is an adapter of this machine.
  var isAdapter: Bool {
    switch selection {
    case .any, .index, .address: true
    case .btsnoop, .h4: false
    }
  }
}

/// The sockets with which networks are read, for the *devices* worker. They are opened when they are needed first.
final class KernelNetworkScan: Sendable {
  /// What is opened once, and used by one thread at a time.
  private struct Opened: ~Copyable {
    var scan: WirelessScan?
  }

  private let opened = Mutex(Opened())

  func readNetworks(of interface: String) -> Result<NetworkReading, WirelessError> {
    withScan { scan throws(WirelessError) in try scan.readNetworks(of: interface) }
  }

  func startScan(on interface: String) -> Result<ScanStart, WirelessError> {
    withScan { scan throws(WirelessError) in try scan.startScan(on: interface) }
  }

  private func withScan<Value: Sendable>(
    _ work: @Sendable (WirelessScan) throws(WirelessError) -> Value
  ) -> Result<Value, WirelessError> {
    opened.withLock { opened in
      Result { () throws(WirelessError) in
        if let scan = opened.scan { return try work(scan) }
        let extensions: ExtensionsSource
        do throws(SystemError) { extensions = try ExtensionsSource() } catch {
          throw .system(call: error.call.rawValue, reason: error.reason)
        }
        let scan = WirelessScan(extensions, otherwise: NetlinkSource())
        opened.scan = scan
        return try work(scan)
      }
    }
  }
}
