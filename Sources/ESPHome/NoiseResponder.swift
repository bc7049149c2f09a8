// SPDX-License-Identifier: GPL-3.0-or-later

/// The gateway's side of the handshake `Noise_NNpsk0_25519_ChaChaPoly_SHA256` (Noise Protocol Framework 34), as ESPHome's
/// API uses it. Pure: the secret of this handshake is an input.
struct NoiseResponder {
  /// A public key and the tag of an empty payload.
  static let messageByteCount = Sodium.keyByteCount + Sodium.tagByteCount

  private static let protocolName = Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8)

  private var chainingKey: [UInt8]
  private var hash: [UInt8]
  private var key: [UInt8]
  private let secret: [UInt8]

  /// `prologue` is what both sides have seen before. `sharedKey` and `secret` have 32 bytes.
  init(prologue: [UInt8], sharedKey: [UInt8], secret: [UInt8]) {
    // The name is longer than a hash.
    hash = Sodium.hash(Self.protocolName)
    chainingKey = hash
    key = []
    self.secret = secret
    mixHash(prologue)
    let parts = Self.derive(chainingKey, sharedKey, count: 3)
    chainingKey = parts[0]
    mixHash(parts[1])
    key = parts[2]
  }

  /// Reads the client's message, and returns the answer and the keys. Nil when the client has another key.
  mutating func answer(to message: [UInt8]) -> (message: [UInt8], session: NoiseSession)? {
    guard message.count == Self.messageByteCount else { return nil }
    let theirs = Array(message.prefix(Sodium.keyByteCount))
    mixHash(theirs)
    mixKey(theirs)
    let sealed = Array(message.dropFirst(Sodium.keyByteCount))
    guard Sodium.open(sealed, key: key, counter: 0, data: hash) != nil else { return nil }
    mixHash(sealed)
    let own = Sodium.publicKey(of: secret)
    mixHash(own)
    mixKey(own)
    guard let shared = Sodium.sharedSecret(secret, with: theirs) else { return nil }
    mixKey(shared)
    let keys = Self.derive(chainingKey, [], count: 2)
    let tag = Sodium.seal([], key: key, counter: 0, data: hash)
    return (own + tag, NoiseSession(receiving: keys[0], sending: keys[1]))
  }

  private mutating func mixHash(_ data: [UInt8]) { hash = Sodium.hash(hash + data) }

  private mutating func mixKey(_ material: [UInt8]) {
    let parts = Self.derive(chainingKey, material, count: 2)
    (chainingKey, key) = (parts[0], parts[1])
  }

  /// HKDF (4.3): `count` keys of 32 bytes.
  static func derive(_ chainingKey: [UInt8], _ material: [UInt8], count: UInt8) -> [[UInt8]] {
    let temporary = Sodium.authenticate(material, key: chainingKey)
    var keys: [[UInt8]] = []
    for number in 1...count {
      keys.append(Sodium.authenticate((keys.last ?? []) + [number], key: temporary))
    }
    return keys
  }
}

/// The two directions of a connection after the handshake. Each message has a number, which is not sent.
struct NoiseSession: Equatable {
  private let receivingKey: [UInt8]
  private let sendingKey: [UInt8]
  private var receivedCount: UInt64 = 0
  private var sentCount: UInt64 = 0

  init(receiving: [UInt8], sending: [UInt8]) { (receivingKey, sendingKey) = (receiving, sending) }

  mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
    defer { sentCount += 1 }
    return Sodium.seal(bytes, key: sendingKey, counter: sentCount)
  }

  /// Nil when the bytes are not those that come next.
  mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
    defer { receivedCount += 1 }
    return Sodium.open(sealed, key: receivingKey, counter: receivedCount)
  }
}
