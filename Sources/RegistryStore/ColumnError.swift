// SPDX-License-Identifier: GPL-3.0-or-later

/// A value that its column cannot have.
struct ColumnError: Error, Equatable, Sendable {
  let column: String
}
