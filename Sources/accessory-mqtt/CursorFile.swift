// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import LinuxSystem
import MQTTBridge

/// The file with the position in the events.
struct CursorFile {
  private static let byteCountMax = 256

  let path: String

  func read() -> MQTTBridge.StoredCursor {
    do throws(SystemError) {
      let bytes = try DurableFile.contents(of: path, byteCountMax: Self.byteCountMax)
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard words.count == 2, let sequence = UInt64(words[1]) else { return .unreadable }
      return .known(EventCursor(epoch: String(words[0]), sequence: sequence))
    } catch {
      return error.isMissing ? .none : .unreadable
    }
  }

  /// Replaces it; the disk has it afterwards. Returns why not.
  func write(_ cursor: EventCursor) -> String? {
    do throws(SystemError) {
      try DurableFile.replace(path, with: Array("\(cursor.epoch) \(cursor.sequence)\n".utf8))
      return nil
    } catch { return error.reason }
  }
}
