// SPDX-License-Identifier: GPL-3.0-or-later

/// What a client of ESPHome's API asks (api.proto, by the numbers of its messages). What the gateway has nothing to say to is
/// `other`.
enum ClientMessage: Equatable {
  case hello
  case authentication
  case disconnect
  case disconnected
  case ping
  case pong
  case deviceInfo
  case entities
  case states
  case time
  case reports
  case noReports
  case scan(isActive: Bool)
  case key(String)
  case turn(entity: UInt32, isOn: Bool)
  case press(entity: UInt32)
  case select(entity: UInt32, String)
  case action(UInt32, [String], call: UInt32)
  case connections
  case device(address: UInt64, DeviceRequest)
  case services(address: UInt64)
  case read(address: UInt64, handle: UInt16)
  case write(address: UInt64, handle: UInt16, [UInt8], isAcknowledged: Bool)
  case notify(address: UInt64, handle: UInt16, isOn: Bool)
  case other

  /// What is to be done with the connection of a device (BluetoothDeviceRequestType).
  enum DeviceRequest: UInt64 {
    case connect, disconnect, pair, unpair, connectWithCache, connectWithoutCache, clearCache
  }

  init(_ message: APIMessage) throws(ESPHomeError) {
    let fields = try Fields(message)
    switch message.type {
    case 1: self = .hello
    case 3: self = .authentication
    case 5: self = .disconnect
    case 6: self = .disconnected
    case 7: self = .ping
    case 8: self = .pong
    case 9: self = .deviceInfo
    case 11: self = .entities
    case 20: self = .states
    case 33: self = .turn(entity: fields.key, isOn: fields.number(2) != 0)
    case 36: self = .time
    case 42:
      self = .action(fields.key, try fields.arguments(), call: UInt32(truncatingIfNeeded: fields.number(3)))
    case 54: self = .select(entity: fields.key, fields.text(2))
    case 62: self = .press(entity: fields.key)
    case 66: self = .reports
    case 87: self = .noReports
    case 127: self = .scan(isActive: fields.number(1) == 1)
    case 124: self = .key(fields.text(1))
    case 80: self = .connections
    case 68:
      guard let request = DeviceRequest(rawValue: fields.number(2)) else { throw .malformedMessage }
      self = .device(address: fields.number(1), request)
    case 70: self = .services(address: fields.number(1))
    case 73, 76: self = .read(address: fields.number(1), handle: try fields.handle())
    case 75:
      self = .write(
        address: fields.number(1), handle: try fields.handle(), fields.bytes(4),
        isAcknowledged: fields.number(3) != 0)
    case 77:
      self = .write(
        address: fields.number(1), handle: try fields.handle(), fields.bytes(3), isAcknowledged: true)
    case 78:
      self = .notify(address: fields.number(1), handle: try fields.handle(), isOn: fields.number(3) != 0)
    default: self = .other
    }
  }
}

/// The fields of a message by their numbers; of several with one number the last counts, but in a list.
private struct Fields {
  /// The most arguments of an action, and fields of a message.
  private static let countMax = 64

  private var values: [UInt64: FieldReader.Value] = [:]
  private var lists: [ArraySlice<UInt8>] = []

  init(_ message: APIMessage) throws(ESPHomeError) {
    var reader = FieldReader(message.fields[...])
    var count = 0
    while let (field, value) = try reader.next() {
      count += 1
      guard count <= Self.countMax else { throw .malformedMessage }
      values[field] = value
      if message.type == 42, field == 2, case .bytes(let bytes) = value { lists.append(bytes) }
    }
  }

  /// The number of an entity.
  var key: UInt32 { if case .word(let word)? = values[1] { word } else { 0 } }

  func number(_ field: UInt64) -> UInt64 {
    if case .number(let number)? = values[field] { number } else { 0 }
  }

  func bytes(_ field: UInt64) -> [UInt8] {
    if case .bytes(let bytes)? = values[field] { Array(bytes) } else { [] }
  }

  func text(_ field: UInt64) -> String { String(decoding: bytes(field), as: UTF8.self) }

  func handle() throws(ESPHomeError) -> UInt16 {
    guard let handle = UInt16(exactly: number(2)) else { throw .malformedMessage }
    return handle
  }

  /// The texts among the arguments of an action, in order.
  func arguments() throws(ESPHomeError) -> [String] {
    var texts: [String] = []
    for list in lists {
      var reader = FieldReader(list)
      var text = ""
      while let (field, value) = try reader.next() {
        if field == 4, case .bytes(let bytes) = value { text = String(decoding: bytes, as: UTF8.self) }
      }
      texts.append(text)
    }
    return texts
  }
}
