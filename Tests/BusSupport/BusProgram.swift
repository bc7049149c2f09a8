// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem

/// A program on a bus that sends whatever a test wants, such as a bluetoothd whose messages are wrong. Each wait ends with
/// an error after 30 seconds.
public struct BusProgram: ~Copyable {
  public enum Failure: Error {
    case closed, silent, notAuthenticated
    case refused(String?)
  }

  /// A message that the program received.
  public struct Received: Sendable {
    public let kind: BusMessageKind?
    public let serial: UInt64
    public let fields: [BusField]
    public let body: [UInt8]

    public var member: String? { first { if case .member(let text) = $0 { text } else { nil } } }
    public var sender: String? { first { if case .sender(let text) = $0 { text } else { nil } } }
    public var error: String? { first { if case .error(let text) = $0 { text } else { nil } } }
    public var replySerial: UInt64? {
      first { if case .replySerial(let number) = $0 { number } else { nil } }
    }

    private func first<Value>(_ value: (BusField) -> Value?) -> Value? { fields.lazy.compactMap(value).first }
  }

  private let descriptor: Descriptor
  private var received: [UInt8] = []
  private var lastSerial: UInt64 = 0

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  public static func open(on bus: TestBus) throws -> BusProgram {
    var program = BusProgram(try UnixConnection.open(path: bus.path))
    try program.authenticate()
    return program
  }

  private mutating func authenticate() throws {
    let account = "\(ThisProcess.user)".utf8.map { String($0, radix: 16) }.joined()
    try write([0] + Array("AUTH EXTERNAL \(account)\r\n".utf8))
    while !received.contains(UInt8(ascii: "\n")) { try receive() }
    guard received.starts(with: Array("OK ".utf8)) else { throw Failure.notAuthenticated }
    received = []
    try write(Array("BEGIN\r\n".utf8))
    _ = try askBus("Hello")
  }

  /// Takes the name org.bluez, from its owner if there is one.
  public mutating func becomeBluetoothd() throws {
    // DBUS_NAME_FLAG_ALLOW_REPLACEMENT and DBUS_NAME_FLAG_REPLACE_EXISTING.
    let reply = try askBus("RequestName", "su") { body in
      body.string("org.bluez")
      body.number(3, 4)
    }
    guard reply.body == [1, 0, 0, 0] else { throw Failure.refused("RequestName") }
  }

  public mutating func stopBeingBluetoothd() throws {
    _ = try askBus("ReleaseName", "s") { $0.string("org.bluez") }
  }

  private mutating func askBus(
    _ member: String, _ signature: String = "", _ body: (inout BusBytes) -> Void = { _ in }
  ) throws -> Received {
    let serial = try call(
      member, "org.freedesktop.DBus", path: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", signature,
      body)
    return try reply(to: serial)
  }

  // MARK: - Sending

  /// Calls a method. Returns the call's serial.
  public mutating func call(
    _ member: String, _ interface: String, path: String, to destination: String, _ signature: String = "",
    _ body: (inout BusBytes) -> Void = { _ in }
  ) throws -> UInt64 {
    try send(
      .call, [.path(path), .interface(interface), .member(member), .destination(destination)], signature, body
    )
  }

  /// Sends a signal to all who follow it, or to one program alone.
  public mutating func signal(
    _ member: String, _ interface: String, path: String = "/", to destination: String? = nil,
    _ signature: String, _ body: (inout BusBytes) -> Void
  ) throws {
    let fields = [BusField.path(path), .interface(interface), .member(member)]
    _ = try send(.signal, fields + (destination.map { [.destination($0)] } ?? []), signature, body)
  }

  public mutating func reply(
    to call: Received, _ signature: String = "", _ body: (inout BusBytes) -> Void = { _ in }
  ) throws {
    guard let sender = call.sender else { throw Failure.refused(nil) }
    _ = try send(.reply, [.replySerial(call.serial), .destination(sender)], signature, body)
  }

  public mutating func refuse(_ call: Received, _ error: String, _ text: String) throws {
    guard let sender = call.sender else { throw Failure.refused(nil) }
    let fields = [BusField.replySerial(call.serial), .destination(sender), .error(error)]
    _ = try send(.error, fields, "s") { $0.string(text) }
  }

  private mutating func send(
    _ kind: BusMessageKind, _ fields: [BusField], _ signature: String, _ body: (inout BusBytes) -> Void
  ) throws -> UInt64 {
    lastSerial += 1
    let fields = fields + (signature.isEmpty ? [] : [.signature(signature)])
    try write(BusBytes.message(kind, serial: lastSerial, fields, body))
    return lastSerial
  }

  private func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      if let count = try descriptor.write(rest) { rest.removeFirst(count) } else { try wait(for: .writable) }
    }
  }

  // MARK: - Receiving

  /// Waits for a call of this method. Other messages are passed over.
  public mutating func nextCall(of member: String) throws -> Received {
    while true {
      let message = try next()
      if message.kind == .call, message.member == member { return message }
    }
  }

  /// Waits for the reply to a call. Other messages are passed over.
  public mutating func reply(to serial: UInt64) throws -> Received {
    while true {
      let message = try next()
      if message.replySerial == serial { return message }
    }
  }

  private mutating func next() throws -> Received {
    while true {
      if let (message, byteCount) = Received.first(in: received) {
        received.removeFirst(byteCount)
        return message
      }
      try receive()
    }
  }

  private mutating func receive() throws {
    try wait(for: .readable)
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    guard let count = try descriptor.read(into: &chunk) else { return }
    guard count > 0 else { throw Failure.closed }
    received += chunk[..<count]
  }

  private func wait(for readiness: Readiness) throws {
    let ready = try Polling.wait(
      [Polling.Entry(descriptor.number, readiness)], until: .now().advanced(seconds: 30))
    guard ready.first.map({ !$0.isEmpty }) ?? false else { throw Failure.silent }
  }
}

extension BusProgram.Received {
  /// Reads the first message of `bytes`, in little-endian order. Returns it with its length; nil if it is not complete.
  fileprivate static func first(in bytes: [UInt8]) -> (Self, Int)? {
    func number(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    guard bytes.count >= 16 else { return nil }
    let end = 16 + number(12)
    let bodyStart = (end + 7) / 8 * 8
    guard bytes.count >= bodyStart + number(4) else { return nil }
    var fields: [BusField] = []
    var offset = 16
    while offset < end {
      // The number, the signature of one letter, and the value.
      let field = bytes[offset]
      let type = Character(Unicode.Scalar(bytes[offset + 2]))
      switch type {
      case "g":
        let length = Int(bytes[offset + 4])
        fields.append(.signature(text(bytes[(offset + 5)..<(offset + 5 + length)])))
        offset += 6 + length
      case "s", "o":
        let length = number(offset + 4)
        if let value = BusField(field, text(bytes[(offset + 8)..<(offset + 8 + length)])) {
          fields.append(value)
        }
        offset += 9 + length
      default:
        if field == 5 { fields.append(.replySerial(UInt64(number(offset + 4)))) }
        offset += 8
      }
      offset = (offset + 7) / 8 * 8
    }
    let message = Self(
      kind: BusMessageKind(rawValue: bytes[1]), serial: UInt64(number(8)), fields: fields,
      body: Array(bytes[bodyStart..<(bodyStart + number(4))]))
    return (message, bodyStart + number(4))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension BusField {
  fileprivate init?(_ number: UInt8, _ text: String) {
    switch number {
    case 1: self = .path(text)
    case 2: self = .interface(text)
    case 3: self = .member(text)
    case 4: self = .error(text)
    case 6: self = .destination(text)
    case 7: self = .sender(text)
    default: return nil
    }
  }
}
