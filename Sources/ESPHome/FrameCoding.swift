// SPDX-License-Identifier: GPL-3.0-or-later

/// A message in its frame: the number of its type, and its fields.
struct APIMessage: Equatable {
  let type: UInt64
  let fields: [UInt8]

  init(_ type: UInt64, _ fields: [UInt8] = []) { (self.type, self.fields) = (type, fields) }

  init(_ type: UInt64, _ fields: (inout FieldWriter) -> Void) { self.init(type, FieldWriter(fields).bytes) }
}

/// The frames of one connection, in plaintext or encrypted: bytes go in, messages and bytes to send come out.
///
/// A plaintext frame is 00, the length and the type of the message as numbers of seven bits a byte, and the message. An
/// encrypted one is 01, a length of two bytes, most significant first, and as many bytes; the message in it begins with its
/// type and length, of two bytes each. A client begins with an empty frame and the first message of the handshake.
struct FrameCoding {
  /// A frame of a client: before its handshake, and afterwards.
  static let openingBytesMax = 1 << 10
  static let frameBytesMax = 1 << 13

  private enum State {
    case plaintext
    /// The client's first frame comes.
    case greeting(sharedKey: [UInt8], secret: [UInt8])
    case handshake(NoiseResponder)
    case encrypted(NoiseSession)
    case failed
  }

  private let name: String
  private let address: String
  private var state: State
  private var received: [UInt8] = []
  /// What to send next.
  private(set) var unsent: [UInt8] = []

  /// `sharedKey` is nil for plaintext. `secret` is 32 random bytes, of this connection alone. `name` and `address` are what
  /// a client learns before it shows that it has the key.
  init(sharedKey: [UInt8]?, secret: [UInt8], name: String, address: String) {
    (self.name, self.address) = (name, address)
    state = sharedKey.map { .greeting(sharedKey: $0, secret: secret) } ?? .plaintext
  }

  /// Whether the client has shown that it has the key, where one is needed.
  var isOpen: Bool {
    switch state {
    case .plaintext, .encrypted: true
    case .greeting, .handshake, .failed: false
    }
  }

  var isEncrypted: Bool { if case .encrypted = state { true } else { false } }

  mutating func wasSent(_ count: Int) { unsent.removeFirst(count) }

  mutating func send(_ message: APIMessage) {
    switch state {
    case .plaintext:
      unsent.append(0)
      unsent.append(number: UInt64(message.fields.count))
      unsent.append(number: message.type)
      unsent += message.fields
    case .encrypted(var session):
      let head = Self.word(Int(message.type)) + Self.word(message.fields.count)
      sendFrame(session.seal(head + message.fields))
      state = .encrypted(session)
    case .greeting, .handshake, .failed: break
    }
  }

  /// Receives bytes. Returns the messages that are whole.
  mutating func receive(_ bytes: [UInt8]) throws(ESPHomeError) -> [APIMessage] {
    received += bytes
    var messages: [APIMessage] = []
    do throws(ESPHomeError) {
      while let message = try nextFrame() { if let message { messages.append(message) } }
    } catch {
      state = .failed
      received = []
      throw error
    }
    return messages
  }

  /// Takes a whole frame. Returns nil when there is none, and no message for a frame of the handshake.
  private mutating func nextFrame() throws(ESPHomeError) -> APIMessage?? {
    guard let first = received.first else { return nil }
    switch state {
    case .failed: return nil
    case .plaintext:
      guard first == 0 else { return try refuseProtocol([0], first == 1 ? .encrypted : .malformedMessage) }
      return try plaintextFrame().map(Optional.some)
    case .greeting, .handshake, .encrypted:
      guard first == 1 else {
        return try refuseProtocol([1, 0, 19, 1], first == 0 ? .plaintext : .malformedMessage)
      }
      guard let frame = try encryptedFrame() else { return nil }
      return .some(try open(frame))
    }
  }

  /// A client that gets no answer in its own protocol would try again for ever.
  private mutating func refuseProtocol(
    _ head: [UInt8], _ error: ESPHomeError
  ) throws(ESPHomeError) -> APIMessage?? {
    unsent += head + Array("Bad indicator byte".utf8)
    throw error
  }

  private mutating func plaintextFrame() throws(ESPHomeError) -> APIMessage? {
    var reader = received[1...]
    guard let count = try Self.number(&reader), let type = try Self.number(&reader) else { return nil }
    guard count <= UInt64(Self.frameBytesMax) else { throw .tooLong }
    guard reader.count >= Int(count) else { return nil }
    let message = APIMessage(type, Array(reader.prefix(Int(count))))
    received = Array(reader.dropFirst(Int(count)))
    return message
  }

  private mutating func encryptedFrame() throws(ESPHomeError) -> [UInt8]? {
    guard received.count >= 3 else { return nil }
    let count = Int(received[1]) << 8 | Int(received[2])
    guard count <= (isOpen ? Self.frameBytesMax : Self.openingBytesMax) else { throw .tooLong }
    guard received.count >= 3 + count else { return nil }
    defer { received = Array(received[(3 + count)...]) }
    return Array(received[3..<(3 + count)])
  }

  private mutating func open(_ frame: [UInt8]) throws(ESPHomeError) -> APIMessage? {
    switch state {
    case .greeting(let sharedKey, let secret):
      let prologue = Array("NoiseAPIInit".utf8) + Self.word(frame.count) + frame
      // A client with a wrong key learns this, too: Home Assistant asks so for name and address.
      sendFrame([1] + name.utf8 + [0] + address.utf8 + [0])
      state = .handshake(NoiseResponder(prologue: prologue, sharedKey: sharedKey, secret: secret))
      return nil
    case .handshake(var responder):
      guard frame.first == 0 else { throw .malformedMessage }
      guard let answer = responder.answer(to: Array(frame.dropFirst())) else {
        sendFrame([1] + Array("Handshake MAC failure".utf8))
        throw .wrongKey
      }
      sendFrame([0] + answer.message)
      state = .encrypted(answer.session)
      return nil
    case .encrypted(var session):
      guard let bytes = session.open(frame) else { throw .notGenuine }
      state = .encrypted(session)
      guard bytes.count >= 4, bytes.count - 4 == Int(bytes[2]) << 8 | Int(bytes[3]) else {
        throw .malformedMessage
      }
      return APIMessage(UInt64(bytes[0]) << 8 | UInt64(bytes[1]), Array(bytes[4...]))
    case .plaintext, .failed: return nil
    }
  }

  private mutating func sendFrame(_ bytes: [UInt8]) { unsent += [1] + Self.word(bytes.count) + bytes }

  /// Two bytes, the most significant first.
  private static func word(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  /// Nil when the number is not whole. No number of a head has more than three bytes.
  private static func number(_ bytes: inout ArraySlice<UInt8>) throws(ESPHomeError) -> UInt64? {
    var value: UInt64 = 0
    for shift in [UInt64(0), 7, 14] {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .tooLong
  }
}
