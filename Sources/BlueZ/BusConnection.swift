// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem

/// Why bluetoothd's devices could not be read over the system bus.
public enum BusError: Error, Equatable, Sendable {
  case system(SystemError)
  /// The bus does not accept this account.
  case notAuthenticated
  /// The bus or bluetoothd replied with the error of this name.
  case refused(String)
  /// A message is not as the specification of D-Bus demands.
  case malformed
  /// No reply came in time.
  case silent
  /// The bus closed the connection.
  case closed
}

/// A connection to the system bus that makes a call or two and waits for their replies.
struct BusConnection: ~Copyable {
  /// How long the bus and bluetoothd may take together.
  private static let patienceSeconds = 5

  private let descriptor: Descriptor
  private let deadline: MonotonicInstant
  private var received: [UInt8] = []
  private var serial: UInt8 = 0

  private init(_ descriptor: consuming Descriptor, until deadline: MonotonicInstant) {
    self.descriptor = descriptor
    self.deadline = deadline
  }

  /// Connects to the socket of a bus.
  static func open(path: String) throws(BusError) -> BusConnection {
    var bus: BusConnection
    do throws(SystemError) {
      let deadline = try MonotonicInstant.now().advanced(seconds: patienceSeconds)
      bus = BusConnection(try UnixConnection.open(path: path), until: deadline)
    } catch {
      throw .system(error)
    }
    try bus.authenticate()
    return bus
  }

  /// Authenticates as this process's account ("Authentication Protocol", EXTERNAL).
  private mutating func authenticate() throws(BusError) {
    let user = "\(ThisProcess.user)".utf8.map { String($0, radix: 16) }.joined()
    try send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8))
    guard try receiveLine().hasPrefix("OK ") else { throw .notAuthenticated }
    try send(Array("BEGIN\r\n".utf8))
    // The bus takes no other call before this one.
    _ = try reply(
      to: "Hello", "org.freedesktop.DBus", path: "/org/freedesktop/DBus", at: "org.freedesktop.DBus")
  }

  /// Calls a method without arguments. Returns the first value of its reply.
  mutating func reply(
    to member: String, _ interface: String, path: String, at destination: String
  ) throws(BusError) -> BusValue {
    serial += 1
    try send(BusMessage.call(member, interface, path: path, to: destination, serial: serial))
    while true {
      if let message = try BusMessage.takeFirst(of: &received) {
        // Signals come too.
        if let value = try BusMessage.reply(in: message, to: serial) { return value }
      } else {
        try receive()
      }
    }
  }

  private mutating func receiveLine() throws(BusError) -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard received.count < BusMessage.byteCountMax else { throw .malformed }
      try receive()
    }
  }

  private func send(_ bytes: [UInt8]) throws(BusError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        if let count = try descriptor.write(rest) {
          rest.removeFirst(count)
          continue
        }
      } catch {
        throw error.isGone ? .closed : .system(error)
      }
      try wait(for: .writable)
    }
  }

  private mutating func receive() throws(BusError) {
    try wait(for: .readable)
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    do throws(SystemError) {
      guard let count = try descriptor.read(into: &chunk) else { return }
      received += chunk[..<count]
      if count > 0 { return }
    } catch {
      throw error.isGone ? .closed : .system(error)
    }
    throw .closed
  }

  private func wait(for readiness: Readiness) throws(BusError) {
    let ready: [Readiness]
    do throws(SystemError) {
      ready = try Polling.wait([Polling.Entry(descriptor.number, readiness)], until: deadline)
    } catch {
      throw .system(error)
    }
    guard ready.first.map({ !$0.isEmpty }) ?? false else { throw .silent }
  }
}

extension BusError {
  /// What is wrong, as the second half of a sentence.
  public var reason: String {
    switch self {
    case .system(let error) where error.isMissing: "there is no system bus"
    case .system(let error): "the system bus cannot be used: \(error.reason)"
    case .notAuthenticated: "the system bus does not accept this account"
    case .refused("org.freedesktop.DBus.Error.ServiceUnknown"): "bluetoothd is not running"
    case .refused(let name): "bluetoothd refused with \(name)"
    case .malformed: "the system bus sent a message that cannot be read"
    case .silent: "bluetoothd did not reply in time"
    case .closed: "the system bus closed the connection"
    }
  }
}
