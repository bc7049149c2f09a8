// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite("Messages in a stream of bytes")
struct FrameBufferTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Everything that is whole, as text.
  private static func taken(
    from buffer: inout FrameBuffer, at time: Duration = .zero
  ) throws(FrameError) -> [String] {
    var messages: [String] = []
    while let message = try buffer.takeMessage(at: time, Self.text) { messages.append(message) }
    return messages
  }

  private static func text(_ span: Span<UInt8>) -> String {
    String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
  }

  @Test("Split anywhere, the messages are the same")
  func splits() throws {
    let stream = Self.bytes("{\"a\":1}\0{}\0\0{\"b\":[]}\0")
    for first in 0...stream.count {
      for second in first...stream.count {
        var buffer = FrameBuffer()
        var messages: [String] = []
        for part in [stream[..<first], stream[first..<second], stream[second...]] {
          buffer.append(Array(part).span)
          messages += try Self.taken(from: &buffer)
        }
        #expect(messages == ["{\"a\":1}", "{}", "", "{\"b\":[]}"])
        #expect(buffer.byteCount == 0 && buffer.frameUnfinishedSince == nil)
      }
    }
  }

  @Test("A message of the limit passes, one byte more does not")
  func limit() throws {
    var buffer = FrameBuffer(frameBytesMax: 8)
    for _ in 0..<3 {
      buffer.append(Self.bytes("12345678\0").span)
      #expect(buffer.freeByteCount == 0)
      #expect(try Self.taken(from: &buffer) == ["12345678"])
    }
    buffer.append(Self.bytes("123456789").span)
    for _ in 0..<2 {
      #expect(throws: FrameError.oversized(byteCount: 9)) { try Self.taken(from: &buffer) }
    }
  }

  @Test("Bytes move to the front only when the space after them ends, and none is lost")
  func wrapping() throws {
    var buffer = FrameBuffer(frameBytesMax: 10)
    var sent: [String] = []
    var received: [String] = []
    var waiting: [UInt8] = []
    for number in 0..<500 {
      let message = String(repeating: "x", count: number % 11)
      sent.append(message)
      waiting += Self.bytes(message + "\0")
      let count = min(buffer.freeByteCount, waiting.count, 1 + number % 7)
      buffer.append(Array(waiting[..<count]).span)
      waiting.removeFirst(count)
      received += try Self.taken(from: &buffer)
    }
    while !waiting.isEmpty {
      let count = min(buffer.freeByteCount, waiting.count)
      buffer.append(Array(waiting[..<count]).span)
      waiting.removeFirst(count)
      received += try Self.taken(from: &buffer)
    }
    #expect(received == sent)
  }

  @Test("The clock of a message runs while it is due and unfinished")
  func unfinished() throws {
    var buffer = FrameBuffer()
    #expect(try Self.taken(from: &buffer, at: .seconds(1)) == [] && buffer.frameUnfinishedSince == nil)
    buffer.append(Self.bytes("{}\0{").span)
    #expect(try buffer.takeMessage(at: .seconds(2), Self.text) == "{}")
    #expect(buffer.frameUnfinishedSince == nil)
    #expect(try Self.taken(from: &buffer, at: .seconds(3)) == [])
    #expect(buffer.frameUnfinishedSince == .seconds(3))
    buffer.append(Self.bytes("\"a\"").span)
    #expect(try Self.taken(from: &buffer, at: .seconds(4)) == [])
    #expect(buffer.frameUnfinishedSince == .seconds(3))
    buffer.append(Self.bytes(":1}\0").span)
    #expect(try Self.taken(from: &buffer, at: .seconds(5)) == ["{\"a\":1}"])
    #expect(buffer.frameUnfinishedSince == nil)
  }

  @Test("The end of the stream inside a message is a mistake")
  func finish() throws {
    var buffer = FrameBuffer()
    try buffer.checkEnd()
    buffer.append(Self.bytes("{}\0").span)
    try buffer.checkEnd()
    buffer.append(Self.bytes("{\"a").span)
    #expect(throws: FrameError.truncated(byteCount: 3)) { try buffer.checkEnd() }
    #expect(try Self.taken(from: &buffer) == ["{}"])
    #expect(throws: FrameError.truncated(byteCount: 3)) { try buffer.checkEnd() }
  }

  @Test("More than there is room for traps")
  func overfeeding() async {
    await #expect(processExitsWith: .failure) {
      var buffer = FrameBuffer(frameBytesMax: 3)
      buffer.append([1, 2, 3, 4, 5].span)
    }
  }
}
