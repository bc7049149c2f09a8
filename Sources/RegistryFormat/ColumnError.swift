// SPDX-License-Identifier: GPL-3.0-or-later

/// A value that its column cannot have.
package struct ColumnError: Error, Equatable, Sendable {
  package let column: String
}
