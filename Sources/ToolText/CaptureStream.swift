// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import DeviceLines
import Explanation
public import HCI

/// Reads a capture that arrives piece by piece, from a file or from a stream that still grows.
///
/// Capacity: one buffer of ``bufferByteCount`` bytes, several times what a record can have, so that bytes are seldom moved
/// to free space.
public struct CaptureStream: ~Copyable {
  private static let pieceByteCount = 1 << 16
  static let bufferByteCount = 1 << 19

  @usableFromInline var buffer = [UInt8](repeating: 0, count: bufferByteCount)
  /// The bytes of the buffer that wait to be read.
  @usableFromInline var waiting = 0..<0
  /// Where the buffer begins in the file.
  @usableFromInline var base = 0
  private var datalink: BtsnoopDatalink?
  /// Whether the input has ended; records may still wait in the buffer.
  public private(set) var hasEnded = false
  /// Why nothing more can be read; records before it are good.
  public private(set) var error: BtsnoopError?
  /// A file that is no capture, if its format is known.
  public private(set) var otherFormat: ForeignCapture?

  public init() {}

  /// Begins with the bytes of a whole file, which are there already.
  public init(holding file: [UInt8]) {
    buffer = file + buffer
    waiting = 0..<file.count
  }

  /// Lets `read` put bytes into a part of the buffer and return how many; none is the end of the input. Before this,
  /// the records that are there must have been read.
  public mutating func readPiece<Failure: Error>(
    _ read: (inout [UInt8], Range<Int>) throws(Failure) -> Int
  ) throws(Failure) {
    freeSpace()
    let count = try read(&buffer, waiting.upperBound..<buffer.count)
    waiting = waiting.lowerBound..<(waiting.upperBound + count)
    hasEnded = count == 0
  }

  /// Frees space for a piece at the end of the buffer.
  private mutating func freeSpace() {
    guard waiting.isEmpty || buffer.count - waiting.upperBound < Self.pieceByteCount else { return }
    for (place, index) in waiting.enumerated() { buffer[place] = buffer[index] }
    base += waiting.lowerBound
    waiting = 0..<waiting.count
  }

  /// Hands the whole records that are there to `body` while it returns true; one that it has refused is read. Wrong bytes
  /// are an error as soon as they are there, and nothing is read after one.
  ///
  /// Inlinable, so that a record costs no calls of closures, and its fields stay in registers.
  @inlinable
  @inline(__always)
  public mutating func forEachRecord<Failure: Error>(
    _ body: (borrowing BtsnoopRecord) throws(Failure) -> Bool
  ) throws(Failure) {
    guard let datalink = readHeader() else { return }
    var reader = BtsnoopReader(
      buffer.span.rawBytes.extracting(waiting), datalink, at: base &+ waiting.lowerBound)
    var end = reader.offset
    defer { waiting = (end &- base)..<waiting.upperBound }
    while true {
      let next: BtsnoopRecord?
      do throws(BtsnoopError) { next = try reader.next() } catch {
        if note(error) { end = base &+ waiting.upperBound }
        return
      }
      guard let record = next else { return }
      end = reader.offset
      guard try body(record) else { return }
    }
  }

  /// Returns whether an error ends the stream: the rest of a record may come with the next piece.
  @usableFromInline
  mutating func note(_ error: BtsnoopError) -> Bool {
    if case .recordTruncated = error, !hasEnded { return false }
    self.error = error
    return true
  }

  /// How the records are framed, once the header of the file is there.
  @usableFromInline
  mutating func readHeader() -> BtsnoopDatalink? {
    if datalink == nil, error == nil {
      do throws(BtsnoopError) { try parseHeader() } catch {
        self.error = error
        waiting = waiting.upperBound..<waiting.upperBound
      }
    }
    return datalink
  }

  /// Reads the header of the file unless more of it has to come.
  private mutating func parseHeader() throws(BtsnoopError) {
    let buffer = buffer
    let bytes = buffer.span.rawBytes.extracting(waiting)
    guard BtsnoopReader.mayBegin(with: bytes) || bytes.byteCount == 0 else {
      otherFormat = ForeignCapture(
        bytes.extracting(first: min(bytes.byteCount, ForeignCapture.headBytesMax)).copied)
      throw .notBtsnoop
    }
    guard bytes.byteCount >= Btsnoop.headerByteCount || hasEnded else { return }
    datalink = try BtsnoopReader(bytes).datalink
    waiting = (waiting.lowerBound + Btsnoop.headerByteCount)..<waiting.upperBound
  }
}
