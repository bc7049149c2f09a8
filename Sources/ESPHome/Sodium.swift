// SPDX-License-Identifier: GPL-3.0-or-later

import CSodium

/// The primitives of the Noise protocol, from libsodium.
enum Sodium {
  static let keyByteCount = 32
  static let tagByteCount = 16

  /// The library chooses its code for the processor once.
  private static let isReady = csodium_start() == 0

  static func randomBytes(_ count: Int) -> [UInt8] {
    precondition(isReady, "libsodium has random bytes")
    return unsafe filled(count) { unsafe csodium_random($0.baseAddress, $0.count) }
  }

  static func hash(_ bytes: [UInt8]) -> [UInt8] {
    unsafe filled(32) { unsafe csodium_hash(bytes, bytes.count, $0.baseAddress) }
  }

  static func authenticate(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    precondition(key.count == keyByteCount, "a key has 32 bytes")
    return unsafe filled(32) { unsafe csodium_authenticate(key, bytes, bytes.count, $0.baseAddress) }
  }

  static func publicKey(of secret: [UInt8]) -> [UInt8] {
    precondition(secret.count == keyByteCount, "a key has 32 bytes")
    return unsafe filled(32) { _ = unsafe csodium_public_key(secret, $0.baseAddress) }
  }

  /// Nil for a public key that shares nothing.
  static func sharedSecret(_ secret: [UInt8], with key: [UInt8]) -> [UInt8]? {
    precondition(secret.count == keyByteCount && key.count == keyByteCount, "a key has 32 bytes")
    var status: Int32 = 0
    let shared = unsafe filled(32) { status = unsafe csodium_shared_secret(secret, key, $0.baseAddress) }
    return status == 0 ? shared : nil
  }

  static func seal(_ bytes: [UInt8], key: [UInt8], counter: UInt64, data: [UInt8] = []) -> [UInt8] {
    let nonce = nonce(counter)
    return unsafe filled(bytes.count + tagByteCount) {
      unsafe csodium_seal(key, nonce, data, data.count, bytes, bytes.count, $0.baseAddress)
    }
  }

  /// Nil when the bytes are not genuine.
  static func open(_ sealed: [UInt8], key: [UInt8], counter: UInt64, data: [UInt8] = []) -> [UInt8]? {
    guard sealed.count >= tagByteCount else { return nil }
    let nonce = nonce(counter)
    var status: Int32 = 0
    // The library wants a place even for no bytes.
    let bytes = unsafe filled(max(1, sealed.count - tagByteCount)) {
      status = unsafe csodium_open(key, nonce, data, data.count, sealed, sealed.count, $0.baseAddress)
    }
    return status == 0 ? Array(bytes.prefix(sealed.count - tagByteCount)) : nil
  }

  /// Four zeros, then the counter, least significant byte first (Noise Protocol Framework 34, 12.3).
  private static func nonce(_ counter: UInt64) -> [UInt8] {
    [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: counter >> UInt64(8 * $0)) }
  }

  private static func filled(
    _ count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
  ) -> [UInt8] {
    // Holds: each function of the library fills exactly as many bytes as its caller has asked for here.
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filledCount in
      unsafe fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      filledCount = count
    }
  }
}
