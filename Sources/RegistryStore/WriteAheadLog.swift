// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// The write-ahead log beside a database file (sqlite.org, "WAL-mode File Format"), read without SQLite.
///
/// SQLite uses the frames before the first invalid one, and drops all others in silence. A power cut leaves at most one
/// transaction invalid, since each one is synced before the next is written. More than one is damage.
struct WriteAheadLog {
  private static let headerByteCount = 32
  private static let frameHeaderByteCount = 24

  /// The pages of complete transactions, in the order in which they were written; the first page has number 1.
  private var pages: [(number: Int, bytes: ArraySlice<UInt8>)] = []
  private var pageByteCount = 0
  /// The number of the database's pages after the last complete transaction.
  private var pageCount = 0

  /// Reads the log of the database `file` with pages of `pageByteCount` bytes.
  init(_ bytes: [UInt8], of file: [UInt8], pageByteCount: Int) throws(RegistryOpenError) {
    guard bytes.count > Self.headerByteCount else { return }
    guard let header = Header(bytes) else {
      // A power cut may tear the header of a new log, over a log that is in the file already.
      let header = Header(ofFirstFrame: bytes, pageByteCount: pageByteCount)
      guard
        Self.commitCount(bytes, from: Self.headerByteCount, header) <= 1
          || Self.isWrittenBack(bytes, header, to: file)
      else { throw .damaged(.log(byte: 0)) }
      return
    }
    self.pageByteCount = header.pageByteCount
    let end = readTransactions(bytes, header)
    guard Self.commitCount(bytes, from: end, header) <= 1, pageCount <= RegistryFile.pagesMax else {
      throw .damaged(.log(byte: end))
    }
  }

  /// Reads up to the first invalid frame, and returns the end of the last complete transaction.
  private mutating func readTransactions(_ bytes: [UInt8], _ header: Header) -> Int {
    var checksum = header.checksum
    var transaction: [(number: Int, bytes: ArraySlice<UInt8>)] = []
    var (start, end) = (Self.headerByteCount, Self.headerByteCount)
    while let frame = Frame(bytes, at: start, header) {
      checksum.add(bytes[start..<start + 8], header.isBigEndian)
      checksum.add(frame.page, header.isBigEndian)
      guard frame.saltCount == 2, frame.number > 0, frame.checksum == checksum else { break }
      transaction.append((frame.number, frame.page))
      start = frame.page.endIndex
      guard frame.pageCount > 0 else { continue }
      pages += transaction
      transaction = []
      pageCount = frame.pageCount
      end = start
    }
    return end
  }

  /// Counts the frames that end a transaction of this log. One of its two salts may be damaged; earlier logs have others.
  private static func commitCount(_ bytes: [UInt8], from start: Int, _ header: Header) -> Int {
    var (start, count) = (start, 0)
    while start + frameHeaderByteCount + header.pageByteCount <= bytes.count {
      if let frame = Frame(bytes, at: start, header), frame.saltCount > 0, frame.pageCount > 0 { count += 1 }
      start += frameHeaderByteCount + header.pageByteCount
    }
    return count
  }

  /// Whether the file has all pages of complete transactions as this log has them.
  private static func isWrittenBack(_ bytes: [UInt8], _ header: Header, to file: [UInt8]) -> Bool {
    var (committed, pending) = ([Int: ArraySlice<UInt8>](), [Int: ArraySlice<UInt8>]())
    var start = headerByteCount
    while let frame = Frame(bytes, at: start, header) {
      start = frame.page.endIndex
      guard frame.saltCount == 2, frame.number > 0 else { continue }
      pending[frame.number] = frame.page
      guard frame.pageCount > 0 else { continue }
      committed.merge(pending) { $1 }
      pending = [:]
    }
    return committed.allSatisfy { number, page in
      file.dropFirst((number - 1) * page.count).prefix(page.count).elementsEqual(page)
    }
  }

  /// Writes the pages into the contents of the database file.
  func apply(to file: inout [UInt8]) {
    guard pageCount > 0 else { return }
    let byteCount = pageCount * pageByteCount
    if file.count < byteCount { file += [UInt8](repeating: 0, count: byteCount - file.count) }
    for page in pages where page.number <= pageCount {
      file.replaceSubrange((page.number - 1) * pageByteCount..<page.number * pageByteCount, with: page.bytes)
    }
    file.removeLast(file.count - byteCount)
  }
}

extension WriteAheadLog {
  /// The header of the log: its numbers are big-endian.
  private struct Header {
    /// The last bit of the magic number says in which order checksums read their words.
    let isBigEndian: Bool
    let pageByteCount: Int
    /// Two numbers that differ from those of every earlier log.
    let salts: [UInt32]
    let checksum: Checksum

    /// The header of a log whose own is invalid, with the salts of its first frame.
    init(ofFirstFrame bytes: [UInt8], pageByteCount: Int) {
      let salts = bytes[headerByteCount...].dropFirst(8).prefix(8)
      (isBigEndian, checksum) = (false, Checksum())
      self.pageByteCount = pageByteCount
      self.salts = [salts.prefix(4).number, salts.dropFirst(4).number]
    }

    /// nil if the header is invalid.
    init?(_ bytes: [UInt8]) {
      let magic = bytes[0..<4].number
      guard magic & ~1 == 0x377F_0682, bytes[4..<8].number == 3_007_000 else { return nil }
      isBigEndian = magic & 1 == 1
      pageByteCount = Int(bytes[8..<12].number)
      guard (512...65_536).contains(pageByteCount), pageByteCount.nonzeroBitCount == 1 else { return nil }
      salts = [bytes[16..<20].number, bytes[20..<24].number]
      var checksum = Checksum()
      checksum.add(bytes[0..<24], isBigEndian)
      guard checksum == Checksum(bytes[24..<32]) else { return nil }
      self.checksum = checksum
    }
  }

  /// A page and its header.
  private struct Frame {
    let number: Int
    /// The number of the database's pages after the transaction that the frame ends; 0 for other frames.
    let pageCount: Int
    /// How many of its salts are those of the log.
    let saltCount: Int
    let checksum: Checksum
    let page: ArraySlice<UInt8>

    /// nil if the log ends before the frame's end.
    init?(_ bytes: [UInt8], at start: Int, _ header: Header) {
      let page = start + frameHeaderByteCount..<start + frameHeaderByteCount + header.pageByteCount
      guard page.upperBound <= bytes.count else { return nil }
      number = Int(bytes[start..<start + 4].number)
      pageCount = Int(bytes[start + 4..<start + 8].number)
      let salts = [bytes[start + 8..<start + 12].number, bytes[start + 12..<start + 16].number]
      saltCount = zip(salts, header.salts).count { $0 == $1 }
      checksum = Checksum(bytes[start + 16..<start + 24])
      self.page = bytes[page]
    }
  }

  /// The two sums of the format's section 4.2, over the words of all frames so far.
  private struct Checksum: Equatable {
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init() {}

    init(_ bytes: ArraySlice<UInt8>) {
      first = bytes.prefix(4).number
      second = bytes.suffix(4).number
    }

    mutating func add(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) {
      for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
        let (one, two) = (bytes[start..<start + 4].number, bytes[start + 4..<start + 8].number)
        first = first &+ (isBigEndian ? one : one.byteSwapped) &+ second
        second = second &+ (isBigEndian ? two : two.byteSwapped) &+ first
      }
    }
  }
}

extension ArraySlice<UInt8> {
  /// The big-endian number.
  fileprivate var number: UInt32 { reduce(0) { $0 << 8 | UInt32($1) } }
}
