// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite("Messages on their way out")
struct OutputBufferTests {
  @Test("What does not fit is refused whole and counted to the byte")
  func accounting() {
    var buffer = OutputBuffer(byteCountMax: 10)
    let messages: [[UInt8]] = [
      [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5], Array(repeating: 0, count: 11), [7, 8, 9, 0],
    ]
    let fitted = messages.map { buffer.append($0) }
    #expect(fitted == [true, false, false, true] && buffer.freeByteCount == 0)
    #expect(buffer.refusedMessages == 2 && buffer.refusedBytes == 16)
    #expect(Self.drained(&buffer, atMost: 10) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0] && buffer.isEmpty)
  }

  @Test("A socket that takes a few bytes at a time gets all of them in order", arguments: 1...7)
  func slowSocket(atMost: Int) {
    var buffer = OutputBuffer(byteCountMax: 16)
    var (accepted, sent): ([UInt8], [UInt8]) = ([], [])
    for number in 0..<300 {
      let message = [UInt8](repeating: UInt8(number % 251), count: number % 9)
      let isFitting = message.count <= buffer.freeByteCount
      let fitted = buffer.append(message)
      #expect(fitted == isFitting)
      if fitted { accepted += message }
      sent += Self.drained(&buffer, atMost: atMost)
      #expect(buffer.byteCount == accepted.count - sent.count && buffer.byteCount <= 16)
    }
    while !buffer.isEmpty { sent += Self.drained(&buffer, atMost: atMost) }
    #expect(sent == accepted)
  }

  @Test("A socket that fails loses nothing")
  func failure() {
    struct WouldBlock: Error {}
    var buffer = OutputBuffer(byteCountMax: 4)
    _ = buffer.append([1, 2])
    #expect(throws: WouldBlock.self) {
      try buffer.drain { _ throws(WouldBlock) in throw WouldBlock() }
    }
    #expect(Self.drained(&buffer, atMost: 4) == [1, 2])
  }

  private static func drained(_ buffer: inout OutputBuffer, atMost count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    buffer.drain { span in
      bytes = span.indices.prefix(count).map { span[$0] }
      return bytes.count
    }
    return bytes
  }
}
