// SPDX-License-Identifier: Apache-2.0

/// How much JSON is read. Memory and time of a reading are bounded by the text's length and `valueCountMax`.
public struct JSONLimits: Sendable {
  /// Containers within one another, the outermost included.
  public var depthMax: Int
  /// Values of every kind, containers included.
  public var valueCountMax: Int
  /// Characters of one number; the widest that loses nothing, -2.2250738585072014e-308, has 24.
  public var numberByteCountMax: Int

  public init(depthMax: Int = 16, valueCountMax: Int = 2048, numberByteCountMax: Int = 32) {
    self.depthMax = depthMax
    self.valueCountMax = valueCountMax
    self.numberByteCountMax = numberByteCountMax
  }
}
