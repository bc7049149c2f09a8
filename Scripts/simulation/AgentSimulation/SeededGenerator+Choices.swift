// SPDX-License-Identifier: GPL-3.0-or-later

import VirtualRadio

extension SeededGenerator {
  /// One of the values, each as likely as the others; there must be one.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }

  mutating func between(_ least: Int, _ most: Int) -> Int { least + number(below: most - least + 1) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
