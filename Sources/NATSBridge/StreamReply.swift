// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import JSON

/// What JetStream replies (its documentation, "JetStream wire API reference").
struct StreamReply {
  /// Why JetStream refuses something.
  struct StreamError: Error, Equatable {
    let code: Int
    let description: String

    /// The subject is of no stream, or there is no JetStream: nothing receives the message.
    static let noResponders = StreamError(code: 0, description: "no stream has this subject")
    static let unreadable = StreamError(code: 1, description: "the reply cannot be read")

    var isNoStream: Bool { code == 10_059 }
    var isNoMessage: Bool { code == 10_037 }
  }

  private let line: JSONObjectReader

  init(_ reply: NATSReply) throws(StreamError) {
    if reply.status == 503 { throw .noResponders }
    guard case .object(let object)? = try? JSONReader.read(reply.payload.span) else { throw .unreadable }
    line = JSONObjectReader(object)
    guard let error = (try? line.objectIfPresent("error")) ?? nil else { return }
    let code: Int? = (try? error.integerIfPresent("err_code")) ?? nil
    let description = (try? error.stringIfPresent("description")) ?? nil
    throw StreamError(code: code ?? 2, description: description ?? "without a reason")
  }

  /// The stream that has stored a message.
  var stream: String? { (try? line.stringIfPresent("stream")) ?? nil }

  /// How long a stream refuses doubles, in seconds; nil when it does not say.
  var duplicateSeconds: Int? {
    guard let configuration = (try? line.objectIfPresent("config")) ?? nil else { return nil }
    let nanoseconds: Int? = (try? configuration.integerIfPresent("duplicate_window")) ?? nil
    return nanoseconds.map { $0 / 1_000_000_000 }
  }

  /// The stream's number of a message, and the position that its headers have.
  var position: (number: Int, cursor: EventCursor)? {
    guard let message = (try? line.objectIfPresent("message")) ?? nil,
      let number: Int = (try? message.integerIfPresent("seq")) ?? nil,
      let headers = (try? message.stringIfPresent("hdrs")) ?? nil
    else { return nil }
    let lines = String(decoding: Base64.bytes(headers), as: UTF8.self).split { $0.isNewline }
    let name = "\(NATSBridge.positionHeader):"
    guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return nil }
    let words = line.dropFirst(name.count).drop { $0 == " " }.split(separator: "/")
    guard words.count == 2, let sequence = UInt64(words[1]) else { return nil }
    return (number, EventCursor(epoch: String(words[0]), sequence: sequence))
  }
}

/// RFC 4648, 4.
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The bytes that a text stands for, up to the first character that is no digit.
  static func bytes(_ text: String) -> [UInt8] {
    var (bits, count, bytes) = (UInt32(0), 0, [UInt8]())
    for character in text.utf8 {
      guard let digit = digits.firstIndex(of: character) else { break }
      bits = bits << 6 | UInt32(digit)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }
}
