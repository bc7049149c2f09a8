// SPDX-License-Identifier: Apache-2.0

/// The messages of the socket of `Gateway.WatchReports`: a header, then records or the radio's state. Config/README.md has the
/// tables of both. All numbers are little-endian.
public enum ReportLayout {
  /// The kind of a message, its second byte.
  @frozen
  public enum Kind: UInt8, Sendable, BitwiseCopyable { case reports = 0, radio = 1 }

  @inlinable public static var version: UInt8 { 1 }
  /// Bytes of the header, and of a record before its data.
  @inlinable public static var headerByteCount: Int { 24 }
  @inlinable public static var recordByteCount: Int { 34 }
  /// How long a packet waited in the kernel, when that is not known.
  @inlinable public static var waitedUnknown: UInt16 { 0xFFFF }

  /// The first eight bytes of a header.
  @inlinable
  public static func head(_ kind: Kind, records: Int) -> UInt64 {
    UInt64(version) | UInt64(kind.rawValue) << 8 | UInt64(UInt16(truncatingIfNeeded: records)) << 16
  }
}

/// The radio's state in a message of its kind.
@frozen
public enum ReportRadioState: UInt8, Sendable, BitwiseCopyable { case on, off, recovering, absent }
