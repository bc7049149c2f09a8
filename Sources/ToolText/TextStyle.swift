// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// How text is laid out and stands out: as wide as the terminal, in colour where that is wanted, with the names of
/// vendors where the system has them.
public struct TextStyle: Sendable {
  /// The width of text that does not go to a terminal, and of rows that need no more.
  static let usualColumnCount = 80
  /// Narrower rows would be all margin.
  private static let columnsMin = 40

  /// The width of the terminal; nil without a terminal, where nothing is cut.
  public let columnsMax: Int?
  private let isColored: Bool
  private let vendors: @Sendable (UInt16) -> String?

  public static let plain = TextStyle(isColored: false)
  public static let colored = TextStyle(isColored: true)

  public init(
    isColored: Bool, columnsMax: Int? = nil, vendors: @escaping @Sendable (UInt16) -> String? = { _ in nil }
  ) {
    self.isColored = isColored
    self.vendors = vendors
    self.columnsMax = columnsMax
  }

  /// The width at which rows are folded.
  var columnCount: Int { max(Self.columnsMin, columnsMax ?? Self.usualColumnCount) }

  /// The name of the company with an identifier, safe on a terminal; nil where the system has none.
  func vendor(_ company: UInt16) -> String? {
    vendors(company).map { AirText(Array($0.utf8)).sentence(columnsMax: 30) }
  }

  func strong(_ text: String) -> String { wrap(text, "1") }
  func faint(_ text: String) -> String { wrap(text, "2") }
  func good(_ text: String) -> String { wrap(text, "32") }
  func bad(_ text: String) -> String { wrap(text, "31") }

  /// Select Graphic Rendition, ECMA-48 8.3.117.
  private func wrap(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
