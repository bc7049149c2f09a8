// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// Standard error as the destination of log lines; writing never blocks.
public enum LogOutput {
  /// The longest line that a pipe takes in one piece; the caller truncates longer ones.
  public static let lineBytesMax = 4096

  /// Writes a line if that is possible at once. Returns whether the line was written.
  public static func write(_ line: [UInt8]) -> Bool {
    // Holds: the call only reads the array.
    unsafe line.withUnsafeBytes { unsafe clinux_write_now(STDERR_FILENO, $0.baseAddress, $0.count) }
      == line.count
  }

  /// Whether standard error is the stream that `name`, the value of `JOURNAL_STREAM`, names by its device and inode
  /// (systemd.exec(5)): lines then go to the journal.
  public static func isJournal(_ name: String?) -> Bool {
    guard let name else { return false }
    var status = stat()
    // Holds: `status` is a local variable.
    guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return name == "\(status.st_dev):\(status.st_ino)"
  }

  /// Returns the local date and time, in seconds.
  public static func localTime() -> String {
    var text = [CChar](repeating: 0, count: 20)
    // Holds: the call fills at most twenty bytes, the last one zero.
    guard unsafe clinux_local_time(&text) == 0 else { return "" }
    return String(decoding: text.prefix(19).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
