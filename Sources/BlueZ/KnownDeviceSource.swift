// SPDX-License-Identifier: GPL-3.0-or-later

public import DBus
public import HCI
public import LinuxSystem
import Manifest

/// A device that BlueZ knows: because it paired with it or a program asked for it, or because it has just heard it.
public struct KnownDevice: Equatable, Sendable {
  /// The identity address when there is one; public or random.
  public var address: DeviceAddress
  public var name: String?
  /// There are keys for it.
  public var isPaired: Bool
  public var serviceUUIDs: [BluetoothUUID] = []
  /// What it advertised last, as far as bluetoothd still has it; a folder of stored devices has none.
  public var manufacturerData: [UInt16: [UInt8]] = [:]
  public var serviceData: [BluetoothUUID: [UInt8]] = [:]

  public init(_ address: DeviceAddress, name: String? = nil, isPaired: Bool = false) {
    (self.address, self.name, self.isPaired) = (address, name, isPaired)
  }

  /// Returns the devices among the objects of bluetoothd, by their addresses: `org.bluez.Device1`, in the reply of
  /// `GetManagedObjects`. An object without an address or its type is left out.
  package static func devices(in reply: BusMessage) throws(BusError) -> [KnownDevice] {
    let objects = try reply.arguments("a{oa{sa{sv}}}")[0].entries.compactMap { $0.value["org.bluez.Device1"] }
    return inOrder(objects.compactMap(KnownDevice.init(properties:)))
  }

  static func inOrder(_ devices: [KnownDevice]) -> [KnownDevice] {
    devices.sorted {
      ($0.address.bits, $0.address.type.rawValue) < ($1.address.bits, $1.address.type.rawValue)
    }
  }

  private init?(properties: BusValue) {
    guard let address = properties["Address"]?.string.flatMap(AddressText.bits),
      let type = Self.addressTypes[properties["AddressType"]?.string ?? ""]
    else { return nil }
    self.init(DeviceAddress(bits: address, type: type))
    name = properties["Name"]?.string
    isPaired = properties["Paired"]?.bool ?? false
    serviceUUIDs =
      properties["UUIDs"]?.elements.compactMap { $0.string.flatMap(IdentifierText.serviceUUID) } ?? []
    for entry in properties["ManufacturerData"]?.entries ?? [] {
      guard let company = entry.key.number.flatMap(UInt16.init(exactly:)) else { continue }
      manufacturerData[company] = entry.value.bytes
    }
    for entry in properties["ServiceData"]?.entries ?? [] {
      guard let service = entry.key.string.flatMap(IdentifierText.serviceUUID) else { continue }
      serviceData[service] = entry.value.bytes
    }
  }

  private static let addressTypes: [String: AddressType] = ["public": .public, "random": .random]
}

/// Where the devices that BlueZ knows are read: from bluetoothd, or from its folder when it does not run.
public struct KnownDeviceSource: Equatable, Sendable {
  /// The sockets of the system bus, of which the first is used that accepts a connection; nil to read the folder only.
  public var bus: [String]?
  public var folder: String

  public init(bus: [String]? = systemBus, folder: String = systemFolder) {
    (self.bus, self.folder) = (bus, folder)
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

/// Why bluetoothd's devices could not be read over the system bus.
public enum BluetoothdError: Error, Equatable, Sendable {
  case system(SystemError)
  case bus(BusError)
  /// No reply came in time.
  case silent

  /// What is wrong, as the second half of a sentence.
  public var reason: String {
    switch self {
    case .system(let error) where error.isMissing: "there is no system bus"
    case .system(let error): "the system bus cannot be used: \(error.reason)"
    case .bus(.refused("org.freedesktop.DBus.Error.ServiceUnknown")): "bluetoothd is not running"
    case .bus(.refused(let name)): "bluetoothd refused with \(name)"
    case .bus(.notAuthenticated): "the system bus does not accept this account"
    case .bus(.malformed), .bus(.tooLong): "the system bus sent a message that cannot be read"
    case .bus(.closed): "the system bus closed the connection"
    case .silent: "bluetoothd did not reply in time"
    }
  }
}

/// A call of bluetoothd that waits for its reply.
enum BluetoothdQuery {
  /// How long the bus and bluetoothd may take together.
  private static let patienceSeconds = 5
  /// More than a thousand devices; a longer reply is an error.
  private static let messageBytesMax = 8 << 20

  static func devices(over sockets: [String]) throws(BluetoothdError) -> [KnownDevice] {
    let event: BusConnection.Event?
    do throws(SystemError) { event = try lastEvent(over: sockets) } catch {
      throw error.isGone ? .bus(.closed) : .system(error)
    }
    switch event {
    case .reply(_, let message):
      do throws(BusError) { return try KnownDevice.devices(in: message) } catch { throw .bus(error) }
    case .closed(let error): throw .bus(error)
    default: throw .silent
    }
  }

  /// Returns the reply, or the end of the connection; nil when neither came in time.
  private static func lastEvent(over sockets: [String]) throws(SystemError) -> BusConnection.Event? {
    let end = try MonotonicInstant.now().advanced(seconds: patienceSeconds)
    let socket = try UnixConnection.open(anyOf: sockets)
    var bus = BusConnection(messageBytesMax: messageBytesMax)
    let call = BusMessage.call(
      "GetManagedObjects", "org.freedesktop.DBus.ObjectManager", of: "/", at: "org.bluez", flags: 0)
    _ = bus.call(call, until: .max)
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      while !bus.unsent.isEmpty, let count = try socket.write(bus.unsent[...]) { bus.wasSent(count) }
      let readiness: Readiness = bus.unsent.isEmpty ? .readable : [.readable, .writable]
      let ready = try Polling.wait([Polling.Entry(socket.number, readiness)], until: end)
      guard ready.first?.isEmpty == false else { return nil }
      guard let count = try socket.read(into: &buffer) else { continue }
      for event in count == 0 ? bus.close() : bus.receive(buffer[..<count]) {
        switch event {
        case .reply, .closed: return event
        case .opened, .signal, .called, .owner: break
        }
      }
    }
  }
}
