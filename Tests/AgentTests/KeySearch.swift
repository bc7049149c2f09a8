// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// A search for parts of keys in what the agent sends, logs and prints.
enum KeySearch {
  /// Six bytes in a row of each key, from each of its bytes on: raw, in hexadecimal digits, and as numbers of a list.
  private static func forms(of key: [UInt8]) -> [(raw: Data, digits: Data, list: Data)] {
    (0...10).map { start in
      let part = key[start..<start + 6]
      let digits = part.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return (Data(part), Data(digits.utf8), Data(part.map { String($0) }.joined(separator: ",").utf8))
    }
  }

  /// The halves of a key as numbers.
  private static func halves(of key: [UInt8]) -> [Data] {
    [key.prefix(8), key.suffix(8)].map { half in
      Data(String(half.reduce(0) { $0 << 8 | UInt64($1) }).utf8)
    }
  }

  /// Which parts of keys some bytes have, in any form.
  static func findings(in haystack: [UInt8], of keys: [[UInt8]]) -> [String] {
    let lower = haystack.map { (65...90).contains($0) ? $0 + 32 : $0 }
    let unspaced = lower.filter { $0 != UInt8(ascii: " ") }
    let (raw, list) = (Data(haystack), Data(unspaced))
    let digits = Data(unspaced.filter { !":-,".utf8.contains($0) })
    let parts = keys.flatMap(forms(of:)).filter { form in
      raw.range(of: form.raw) != nil || digits.range(of: form.digits) != nil
        || list.range(of: form.list) != nil
    }
    let numbers = keys.flatMap(halves(of:)).filter { raw.range(of: $0) != nil }
    return (parts.map(\.digits) + numbers).map { String(decoding: $0, as: UTF8.self) }
  }

  static func findings(in output: [String], of keys: [[UInt8]]) -> [String] {
    findings(in: Array(output.joined(separator: "\n").utf8), of: keys)
  }

  static func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }
}
