// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import NATSBridge

/// A server with a stream, which stores what a bridge publishes and acknowledges it when the test lets it.
struct SimulatedStream {
  struct Stored {
    let subject: String
    let headers: [NATSMessage.Header]
    let payload: [UInt8]
  }

  /// What is in the stream; the number of a message is its index and 1.
  private(set) var stored: [Stored] = []
  private var identifiers: Set<String> = []
  /// What is on the wire to it.
  private var wire: [(number: Int, message: NATSMessage)] = []
  /// Replies that the bridge does not have yet.
  private(set) var replies: [NATSReply] = []
  private(set) var duplicates = 0

  var isThere = true
  /// An error with which it refuses what is to be stored.
  var refusal: String?
  var duplicateSeconds = 3600

  mutating func publish(_ number: Int, _ message: NATSMessage) { wire.append((number, message)) }

  /// Receives up to `limit` messages; `isLost` says whether one is lost on the way, as when the stream gets another leader.
  mutating func receive(limit: Int, isLost: () -> Bool = { false }) {
    let arrived = wire.prefix(limit)
    wire.removeFirst(arrived.count)
    for (number, message) in arrived where !isLost() {
      replies.append(
        message.subject.hasPrefix("$JS.")
          ? ask(number, message) : NATSReply(number: number, payload: Array(store(message).utf8)))
    }
  }

  private mutating func store(_ message: NATSMessage) -> String {
    if let refusal { return #"{"error":{"code":503,"err_code":10077,"description":"\#(refusal)"}}"# }
    guard let identifier = message.headers.first(where: { $0.name == "Nats-Msg-Id" })?.value else {
      return #"{"error":{"code":400,"err_code":1,"description":"no identifier"}}"#
    }
    guard identifiers.insert(identifier).inserted else {
      duplicates += 1
      return #"{"stream":"ACCESSORIES","seq":1,"duplicate":true}"#
    }
    stored.append(Stored(subject: message.subject, headers: message.headers, payload: message.payload))
    return #"{"stream":"ACCESSORIES","seq":\#(stored.count)}"#
  }

  private mutating func ask(_ number: Int, _ message: NATSMessage) -> NATSReply {
    let noStream = #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#
    let text: String
    if message.subject.contains(".STREAM.CREATE.") {
      isThere = true
      text = #"{"config":{"duplicate_window":\#(duplicateSeconds)000000000}}"#
    } else if !isThere {
      text = noStream
    } else if message.subject.contains(".STREAM.INFO.") {
      text = #"{"config":{"duplicate_window":\#(duplicateSeconds)000000000}}"#
    } else {
      text = last(message.payload)
    }
    return NATSReply(number: number, payload: Array(text.utf8))
  }

  private func last(_ question: [UInt8]) -> String {
    guard case .object(let object)? = try? JSONReader.read(question.span),
      case .string(let subject)? = object["last_by_subj"],
      let index = stored.lastIndex(where: { $0.subject == subject })
    else { return #"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"# }
    let lines = stored[index].headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    return #"{"message":{"seq":\#(index + 1),"hdrs":"\#(Self.base64("NATS/1.0\r\n\(lines)\r\n"))"}}"#
  }

  static func base64(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var (bits, count, result) = (UInt32(0), 0, [UInt8]())
    for byte in text.utf8 {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        result.append(digits[Int(bits >> UInt32(count) & 63)])
      }
    }
    if count > 0 { result.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
    while result.count % 4 > 0 { result.append(UInt8(ascii: "=")) }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns one of the oldest replies; it stays when the bridge is to get it twice.
  mutating func nextReply(_ index: Int, twice: Bool = false) -> NATSReply? {
    guard !replies.isEmpty else { return nil }
    let index = index % replies.count
    return twice ? replies[index] : replies.remove(at: index)
  }

  /// The connection ends: what is on the wire may arrive or not, and no reply does.
  mutating func disconnect(arrives: Int) {
    receive(limit: arrives)
    (wire, replies) = ([], [])
  }
}
