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

  private var buffer = [UInt8](repeating: 0, count: bufferByteCount)
  /// The bytes of the buffer that wait to be read.
  private var waiting = 0..<0
  /// Where the buffer begins in the file.
  private var base = 0
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

  /// The next record, or nil when the buffer has no other whole one, and after an error. Wrong bytes are an error as soon
  /// as they are there.
  @_lifetime(&self)
  public mutating func next() -> BtsnoopRecord? {
    do throws(BtsnoopError) {
      if datalink == nil { try readHeader() }
      guard let datalink else { return nil }
      var reader = BtsnoopReader(
        buffer.span.rawBytes.extracting(waiting), datalink, at: base &+ waiting.lowerBound)
      let record = try reader.next()
      waiting = (reader.offset &- base)..<waiting.upperBound
      return record
    } catch {
      // The rest of the record may come with the next piece.
      if case .recordTruncated = error, !hasEnded { return nil }
      self.error = error
      waiting = waiting.upperBound..<waiting.upperBound
      return nil
    }
  }

  /// Reads the header of the file unless more of it has to come.
  private mutating func readHeader() throws(BtsnoopError) {
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
