// SPDX-License-Identifier: GPL-3.0-or-later

/// What stands in one column of one row.
package enum Value: Equatable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// A number with a fraction, or text that is not UTF-8: nothing that we write.
  case foreign
}
