// SPDX-License-Identifier: GPL-3.0-or-later

import CQRencode

/// A text as a QR code (ISO/IEC 18004) for a terminal.
public struct QRCode: Sendable {
  /// Modules of a row of the largest code, of version 40.
  private static let widthMax = 177
  /// Light modules around the code.
  private static let margin = 2

  /// How many modules a row has.
  public let width: Int
  /// Row by row; true is dark.
  public let modules: [Bool]

  /// Nil for a text that is too long for a code.
  public init?(_ text: String) {
    var bytes = [UInt8](repeating: 0, count: Self.widthMax * Self.widthMax)
    // Holds: the call only reads the text, and fills at most as many bytes.
    let width = unsafe Int(cqrencode_modules(text, &bytes, Int32(bytes.count)))
    guard width > 0 else { return nil }
    self.width = width
    modules = bytes.prefix(width * width).map { $0 == 1 }
  }

  /// Lines for a terminal of light text on a dark background: each character is two rows.
  public var lines: [String] {
    let rows = stride(from: -Self.margin, to: width + Self.margin, by: 2)
    return rows.map { row in
      let columns = -Self.margin..<(width + Self.margin)
      return columns.map { column in
        switch (isLight(row, column), isLight(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
    }
  }

  private func isLight(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return true }
    return !modules[row * width + column]
  }
}
