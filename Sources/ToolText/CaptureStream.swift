// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Reads a capture that arrives piece by piece, from a file or from a stream that still grows.
///
/// Capacity: one buffer of ``bufferByteCount`` bytes, several times what a record can have, so that bytes are seldom moved
/// to free space.
public struct CaptureStream {
  private static let pieceByteCount = 1 << 16
  static let bufferByteCount = 1 << 19

  private var buffer = [UInt8](repeating: 0, count: bufferByteCount)
  /// The bytes of the buffer that wait to be read.
  private var waiting = 0..<0
  /// Where the buffer begins in the file.
  private var base = 0
  private var datalink: BtsnoopDatalink?

  public init() {}

  /// Lets `read` put bytes into a part of the buffer and return how many; none is the end of the input. Then passes each
  /// whole record to `body` while it returns true. Returns whether there may be more.
  public mutating func readPiece<Failure: Error>(
    _ read: (inout [UInt8], Range<Int>) throws(Failure) -> Int, _ body: (borrowing BtsnoopRecord) -> Bool
  ) throws(Failure) -> Result<Bool, BtsnoopError> {
    freeSpace()
    let count = try read(&buffer, waiting.upperBound..<buffer.count)
    waiting = waiting.lowerBound..<(waiting.upperBound + count)
    do throws(BtsnoopError) {
      guard try readHeader(isEnd: count == 0) else { return .success(true) }
      return .success(try readRecords(isEnd: count == 0, body) && count > 0)
    } catch {
      return .failure(error)
    }
  }

  /// Frees space for a piece at the end of the buffer.
  private mutating func freeSpace() {
    guard waiting.isEmpty || buffer.count - waiting.upperBound < Self.pieceByteCount else { return }
    for (place, index) in waiting.enumerated() { buffer[place] = buffer[index] }
    base += waiting.lowerBound
    waiting = 0..<waiting.count
  }

  /// Returns whether the header has been read. Wrong bytes are an error as soon as they are there.
  private mutating func readHeader(isEnd: Bool) throws(BtsnoopError) -> Bool {
    guard datalink == nil else { return true }
    let buffer = buffer
    let bytes = buffer.span.rawBytes.extracting(waiting)
    guard BtsnoopReader.mayBegin(with: bytes) || bytes.byteCount == 0 else { throw .notBtsnoop }
    guard bytes.byteCount >= Btsnoop.headerByteCount || isEnd else { return false }
    datalink = try BtsnoopReader(bytes).datalink
    waiting = (waiting.lowerBound + Btsnoop.headerByteCount)..<waiting.upperBound
    return true
  }

  /// Returns whether `body` wants more.
  private mutating func readRecords(
    isEnd: Bool, _ body: (borrowing BtsnoopRecord) -> Bool
  ) throws(BtsnoopError) -> Bool {
    guard let datalink else { return true }
    let buffer = buffer
    var reader = BtsnoopReader(
      buffer.span.rawBytes.extracting(waiting), datalink, at: base + waiting.lowerBound)
    while true {
      let start = reader.offset
      do throws(BtsnoopError) {
        guard let record = try reader.next() else { break }
        guard body(record) else { return false }
      } catch {
        guard case .recordTruncated = error, !isEnd else { throw error }
        waiting = (start - base)..<waiting.upperBound
        return true
      }
    }
    waiting = waiting.upperBound..<waiting.upperBound
    return true
  }
}
