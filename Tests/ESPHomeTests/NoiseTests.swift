// SPDX-License-Identifier: GPL-3.0-or-later

import Testing
import TestSupport

@testable import ESPHome

@Suite("The handshake and the frames of ESPHome's API")
struct NoiseTests {
  private static let key = [UInt8](repeating: 7, count: 32)
  private static let secret = [UInt8](1...32)

  @Test("The primitives are those of RFC 8439, RFC 4231, FIPS 180-4 and RFC 7748")
  func primitives() {
    #expect(
      Sodium.hash(Array("abc".utf8))
        == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    // RFC 4231, 4.2, with the key filled up by zeros, as HMAC does.
    let key = [UInt8](repeating: 0x0B, count: 20) + [UInt8](repeating: 0, count: 12)
    #expect(
      Sodium.authenticate(Array("Hi There".utf8), key: key)
        == hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
    // RFC 7748, 5.2, after one iteration.
    let nine = [9] + [UInt8](repeating: 0, count: 31)
    let once = hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
    #expect(Sodium.sharedSecret(nine, with: nine) == once && Sodium.publicKey(of: nine) == once)
    #expect(Sodium.sharedSecret(nine, with: [UInt8](repeating: 0, count: 32)) == nil)
    let sealed = Sodium.seal([1, 2, 3], key: Self.key, counter: 5, data: [9])
    #expect(sealed.count == 19)
    #expect(Sodium.open(sealed, key: Self.key, counter: 5, data: [9]) == [1, 2, 3])
    #expect(Sodium.open(sealed, key: Self.key, counter: 6, data: [9]) == nil)
    #expect(Sodium.open(sealed, key: Self.key, counter: 5) == nil)
    #expect(Sodium.open([1, 2], key: Self.key, counter: 0) == nil)
  }

  @Test(
    "A client with the key and the gateway read each other, in pieces of any length", arguments: [1, 7, 4096])
  func encrypted(step: Int) throws {
    var gateway = FrameCoding(sharedKey: Self.key, secret: Self.secret, name: "gw", address: "02aabbccddee")
    var client = NoiseClient(key: Self.key)
    var messages: [APIMessage] = []
    for piece in client.opening.pieces(of: step) { messages += try gateway.receive(piece) }
    #expect(messages.isEmpty && gateway.isEncrypted)
    let greeting = client.readGreeting(&gateway)
    #expect(greeting == [1] + Array("gw".utf8) + [0] + Array("02aabbccddee".utf8) + [0])
    let isAnswered = client.readAnswer(&gateway)
    #expect(isAnswered)
    for piece in client.frame(APIMessage(7, [1, 2, 3])).pieces(of: step) {
      messages += try gateway.receive(piece)
    }
    #expect(messages == [APIMessage(7, [1, 2, 3])])
    gateway.send(APIMessage(93, [UInt8](repeating: 5, count: 300)))
    let last = client.read(&gateway)
    #expect(last == APIMessage(93, [UInt8](repeating: 5, count: 300)))
  }

  @Test("A wrong key gets the text that clients know, after the greeting")
  func wrongKey() throws {
    var gateway = FrameCoding(sharedKey: Self.key, secret: Self.secret, name: "gw", address: "02aabbccddee")
    var client = NoiseClient(key: [UInt8](repeating: 0, count: 32))
    #expect(throws: ESPHomeError.wrongKey) { try gateway.receive(client.opening) }
    _ = client.readGreeting(&gateway)
    #expect(gateway.unsent == [1, 0, 22, 1] + Array("Handshake MAC failure".utf8))
  }

  @Test("Each protocol refuses the other in the form that its client understands")
  func protocols() throws {
    var encrypted = FrameCoding(sharedKey: Self.key, secret: Self.secret, name: "gw", address: "02")
    #expect(throws: ESPHomeError.plaintext) { try encrypted.receive([0, 0, 1]) }
    #expect(encrypted.unsent == [1, 0, 19, 1] + Array("Bad indicator byte".utf8))
    var plain = FrameCoding(sharedKey: nil, secret: Self.secret, name: "gw", address: "02")
    #expect(throws: ESPHomeError.encrypted) { try plain.receive([1, 0, 0]) }
    #expect(plain.unsent == [0] + Array("Bad indicator byte".utf8))
    for key in [nil, Self.key] {
      var coding = FrameCoding(sharedKey: key, secret: Self.secret, name: "gw", address: "02")
      #expect(throws: ESPHomeError.malformedMessage) { try coding.receive(Array("GET /".utf8)) }
    }
  }

  @Test("Frames that are too long are refused before they are kept")
  func lengths() throws {
    var opening = FrameCoding(sharedKey: Self.key, secret: Self.secret, name: "gw", address: "02")
    #expect(throws: ESPHomeError.tooLong) { try opening.receive([1, 0x04, 0x01]) }
    var plain = FrameCoding(sharedKey: nil, secret: Self.secret, name: "gw", address: "02")
    #expect(throws: ESPHomeError.tooLong) { try plain.receive([0, 0x81, 0x40, 1]) }
    var endless = FrameCoding(sharedKey: nil, secret: Self.secret, name: "gw", address: "02")
    #expect(throws: ESPHomeError.tooLong) { try endless.receive([0, 0x80, 0x80, 0x80]) }
  }

  @Test("A message that was altered, or comes twice, ends the connection")
  func altered() throws {
    for change in [0, 1] {
      var gateway = FrameCoding(sharedKey: Self.key, secret: Self.secret, name: "gw", address: "02")
      var client = NoiseClient(key: Self.key)
      _ = try gateway.receive(client.opening)
      _ = client.readGreeting(&gateway)
      let isAnswered = client.readAnswer(&gateway)
      #expect(isAnswered)
      var frame = client.frame(APIMessage(7))
      if change == 0 { frame[5] ^= 1 } else { _ = try gateway.receive(frame) }
      #expect(throws: ESPHomeError.notGenuine) { try gateway.receive(frame) }
      let rest = try gateway.receive(frame)
      #expect(rest == [])
    }
  }

  @Test("A key is its text, and no other text is one")
  func keys() throws {
    let key = GatewayKey.random()
    #expect(key.text.utf8.count == 44 && GatewayKey(text: key.text) == key)
    #expect(
      GatewayKey(bytes: Array("0123456789abcdef0123456789abcdef".utf8))?.text
        == "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    for wrong in ["", "abc", String(key.text.dropFirst()), key.text + "=", "*" + key.text.dropFirst()] {
      #expect(GatewayKey(text: wrong) == nil)
    }
    #expect(GatewayKey.random() != GatewayKey.random())
  }

  @Test("A text that is no key says why: how many bytes it has, or that they are zero")
  func wrongKeys() {
    let digits = String(repeating: "Ab", count: 20)
    for (text, error) in [
      (digits + "Ab==", .byteCount(31)), (digits + "AbAb", .byteCount(33)), ("QQ==", .byteCount(1)),
      (String(repeating: "A", count: 43) + "=", .zeros), ("", .notBase64(0)), (digits + "A", .notBase64(41)),
      (digits + "A=b=", .notBase64(44)), (digits + "A-b=", .notBase64(44)),
    ] as [(String, GatewayKeyError)] {
      #expect(throws: error, "\(text)") { try GatewayKey(parsing: text) }
    }
    #expect(GatewayKey(bytes: [UInt8](repeating: 0, count: 32)) == nil)
  }
}

extension [UInt8] {
  fileprivate func pieces(of count: Int) -> [[UInt8]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
  }
}

/// A client's side of the handshake, by the same primitives.
private struct NoiseClient {
  private let secret = [UInt8](repeating: 0x42, count: 32)
  private var chainingKey: [UInt8]
  private var hash: [UInt8]
  private var key: [UInt8] = []
  private var session: NoiseSession?
  /// The empty frame and the first message.
  private(set) var opening: [UInt8] = []

  init(key shared: [UInt8]) {
    hash = Sodium.hash(Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8))
    chainingKey = hash
    mixHash(Array("NoiseAPIInit".utf8) + [0, 0])
    let parts = NoiseResponder.derive(chainingKey, shared, count: 3)
    chainingKey = parts[0]
    mixHash(parts[1])
    key = parts[2]
    let own = Sodium.publicKey(of: secret)
    mixHash(own)
    mixKey(own)
    let tag = Sodium.seal([], key: key, counter: 0, data: hash)
    mixHash(tag)
    opening = [1, 0, 0] + [1, 0, 49, 0] + own + tag
  }

  mutating func readGreeting(_ gateway: inout FrameCoding) -> [UInt8]? { next(&gateway) }

  mutating func readAnswer(_ gateway: inout FrameCoding) -> Bool {
    guard let frame = next(&gateway), frame.count == 49, frame[0] == 0 else { return false }
    let theirs = Array(frame[1..<33])
    mixHash(theirs)
    mixKey(theirs)
    guard let shared = Sodium.sharedSecret(secret, with: theirs) else { return false }
    mixKey(shared)
    guard Sodium.open(Array(frame[33...]), key: key, counter: 0, data: hash) != nil else { return false }
    let keys = NoiseResponder.derive(chainingKey, [], count: 2)
    session = NoiseSession(receiving: keys[1], sending: keys[0])
    return true
  }

  mutating func frame(_ message: APIMessage) -> [UInt8] {
    let head = [message.type, UInt64(message.fields.count)].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let sealed = session?.seal(head + message.fields) ?? []
    return [1, UInt8(sealed.count >> 8), UInt8(sealed.count & 0xFF)] + sealed
  }

  mutating func read(_ gateway: inout FrameCoding) -> APIMessage? {
    guard let frame = next(&gateway), let bytes = session?.open(frame), bytes.count >= 4 else { return nil }
    return APIMessage(UInt64(bytes[0]) << 8 | UInt64(bytes[1]), Array(bytes[4...]))
  }

  /// Takes the next frame that the gateway sends.
  private func next(_ gateway: inout FrameCoding) -> [UInt8]? {
    let bytes = gateway.unsent
    guard bytes.count >= 3, bytes[0] == 1 else { return nil }
    let end = 3 + Int(bytes[1]) << 8 + Int(bytes[2])
    guard bytes.count >= end else { return nil }
    gateway.wasSent(end)
    return Array(bytes[3..<end])
  }

  private mutating func mixHash(_ data: [UInt8]) { hash = Sodium.hash(hash + data) }

  private mutating func mixKey(_ material: [UInt8]) {
    let parts = NoiseResponder.derive(chainingKey, material, count: 2)
    (chainingKey, key) = (parts[0], parts[1])
  }
}
