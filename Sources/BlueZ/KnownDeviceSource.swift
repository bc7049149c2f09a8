// SPDX-License-Identifier: GPL-3.0-or-later

import DBus
public import LinuxSystem
import Manifest

/// Where the devices that BlueZ knows are read: from bluetoothd, or from its folder when it does not run.
public struct KnownDeviceSource: Equatable, Sendable {
  /// The sockets of the system bus, of which the first is used that accepts a connection; nil to read the folder only.
  public var bus: [String]?
  public var folder: String

  public init(bus: [String]? = systemBus, folder: String = systemFolder) {
    self.bus = bus
    self.folder = folder
  }

  /// As `DBUS_SYSTEM_BUS_ADDRESS` says, or the usual path.
  public static var systemBus: [String] {
    let named = Environment.value(of: "DBUS_SYSTEM_BUS_ADDRESS").map(BusAddress.sockets) ?? []
    return named.isEmpty ? ["/run/dbus/system_bus_socket"] : named
  }

  public static let systemFolder = "/var/lib/bluetooth"

  /// Reads them, by their addresses. Waits up to 5 s for bluetoothd.
  public func read() throws(KnownDeviceError) -> [KnownDevice] {
    var busError: BluetoothdError?
    if let bus {
      do throws(BluetoothdError) { return try BluetoothdQuery.devices(over: bus) } catch { busError = error }
    }
    do throws(SystemError) { return try StoredDevices.devices(in: folder) } catch {
      throw KnownDeviceError(bus: busError, folder: error, path: folder)
    }
  }
}

/// Why the devices that BlueZ knows could not be read, from bluetoothd and from its folder.
public struct KnownDeviceError: Error, Equatable, Sendable {
  /// nil when bluetoothd was not asked.
  public let bus: BluetoothdError?
  public let folder: SystemError
  /// The path of the folder.
  public let path: String

  /// What is wrong, as the second half of a sentence.
  public var reason: String {
    let folderReason = "\"\(path.escapedForDisplay(scalarCountMax: 200))\" cannot be read: \(folder.reason)"
    return bus.map { "\($0.reason), and bluetoothd's folder \(folderReason)" } ?? folderReason
  }
}
