// SPDX-License-Identifier: Apache-2.0

public import JSON

/// What one connection to a service may cost the client.
public struct ClientLimits: Sendable {
  /// Octets of one reply, without its NUL.
  public var replyBytesMax = 64 << 10
  /// Octets of one call, with its NUL.
  public var callBytesMax = 16 << 10
  public var json = JSONLimits(depthMax: 16, valueCountMax: 16_384)

  public init() {}
}
