// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Registry

/// Random identifiers that no one can guess: a counter encrypted with AES-128 under a key that only this process knows
/// (NIST SP 800-90A calls this a CTR generator). The key is drawn from the kernel once, so that everything else stays
/// pure.
public struct RandomSource: Sendable {
  private let key: Block128
  private var drawn: UInt64 = 0

  public init(key: Block128) { self.key = key }

  public mutating func draw() -> RandomIdentifier {
    drawn += 1
    return RandomIdentifier(AES128.encrypt(Block128(high: 0, low: drawn), key: key))
  }
}
