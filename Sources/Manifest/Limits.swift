// SPDX-License-Identifier: GPL-3.0-or-later

/// What people and programs may take up at once.
public struct Limits: Hashable, Sendable {
  /// How long a request stays open once a candidate was shown.
  public var pickerIdleSeconds: Int32 = 600
  /// Picker requests of one app; more are refused with `pickerRestricted`.
  public var requestsPerMinute: Int32 = 5
  /// Devices shown in one picker, the strongest; the rest are counted.
  public var candidates: Int32 = 64
  /// Connections to the socket.
  public var connections: Int32 = 64
  /// Connections of one user.
  public var connectionsPerUser: Int32 = 16
  /// Connections kept free for operators.
  public var connectionsForOperators: Int32 = 8
  /// Bytes that wait for a client that reads slowly.
  public var writeBufferBytes: Int32 = 65_536

  public init() {}
}
