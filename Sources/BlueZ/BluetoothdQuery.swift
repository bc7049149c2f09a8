// SPDX-License-Identifier: GPL-3.0-or-later

public import DBus
public import LinuxSystem

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
