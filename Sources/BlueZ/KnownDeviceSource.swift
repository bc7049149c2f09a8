// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem
import Manifest

/// Where the devices that BlueZ knows are read: from bluetoothd, or from its folder when it does not run.
public struct KnownDeviceSource: Equatable, Sendable {
  /// The socket of the system bus; nil to read the folder only.
  public var bus: String?
  public var folder: String

  public init(bus: String? = systemBus, folder: String = systemFolder) {
    self.bus = bus
    self.folder = folder
  }

  /// As `DBUS_SYSTEM_BUS_ADDRESS` says, or the usual path.
  public static var systemBus: String {
    let prefix = "unix:path="
    guard let address = Environment.value(of: "DBUS_SYSTEM_BUS_ADDRESS"), address.hasPrefix(prefix) else {
      return "/run/dbus/system_bus_socket"
    }
    return String(address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
  }

  public static let systemFolder = "/var/lib/bluetooth"

  /// Reads them, by their addresses. Waits up to 5 s for bluetoothd.
  public func read() throws(KnownDeviceError) -> [KnownDevice] {
    guard let bus else {
      do throws(SystemError) { return try StoredDevices.devices(in: folder) } catch {
        throw KnownDeviceError(bus: nil, folder: error, path: folder)
      }
    }
    do throws(BusError) { return try Self.devices(over: bus) } catch {
      let busError = error
      do throws(SystemError) { return try StoredDevices.devices(in: folder) } catch {
        throw KnownDeviceError(bus: busError, folder: error, path: folder)
      }
    }
  }

  private static func devices(over path: String) throws(BusError) -> [KnownDevice] {
    var bus = try BusConnection.open(path: path)
    let objects = try bus.reply(
      to: "GetManagedObjects", "org.freedesktop.DBus.ObjectManager", path: "/", at: "org.bluez")
    return KnownDevice.devices(in: objects)
  }
}

/// Why the devices that BlueZ knows could not be read, from bluetoothd and from its folder.
public struct KnownDeviceError: Error, Equatable, Sendable {
  /// nil when bluetoothd was not asked.
  public let bus: BusError?
  public let folder: SystemError
  /// The path of the folder.
  public let path: String

  /// What is wrong, as the second half of a sentence.
  public var reason: String {
    let folderReason = "\"\(path.escapedForDisplay(scalarCountMax: 200))\" cannot be read: \(folder.reason)"
    return bus.map { "\($0.reason), and bluetoothd's folder \(folderReason)" } ?? folderReason
  }
}
