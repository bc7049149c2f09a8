// SPDX-License-Identifier: GPL-3.0-or-later

import KernelNetworks
import LinuxSystem
import Synchronization
import Wireless

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
