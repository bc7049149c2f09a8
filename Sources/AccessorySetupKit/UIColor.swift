// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Stands in for UIKit's colour, for `UIImage.withTintColor(_:)`: a name without an effect.
open class UIColor: NSObject, @unchecked Sendable {
  private let name: String

  private init(_ name: String) { self.name = name }

  open override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.name == name }

  open override var hash: Int { name.hashValue }

  open override var description: String { name }

  open class var black: UIColor { UIColor("black") }
  open class var blue: UIColor { UIColor("blue") }
  open class var brown: UIColor { UIColor("brown") }
  open class var clear: UIColor { UIColor("clear") }
  open class var cyan: UIColor { UIColor("cyan") }
  open class var darkGray: UIColor { UIColor("darkGray") }
  open class var gray: UIColor { UIColor("gray") }
  open class var green: UIColor { UIColor("green") }
  open class var lightGray: UIColor { UIColor("lightGray") }
  open class var magenta: UIColor { UIColor("magenta") }
  open class var orange: UIColor { UIColor("orange") }
  open class var purple: UIColor { UIColor("purple") }
  open class var red: UIColor { UIColor("red") }
  open class var white: UIColor { UIColor("white") }
  open class var yellow: UIColor { UIColor("yellow") }
  open class var label: UIColor { UIColor("label") }
  open class var secondaryLabel: UIColor { UIColor("secondaryLabel") }
  open class var systemBlue: UIColor { UIColor("systemBlue") }
  open class var systemBrown: UIColor { UIColor("systemBrown") }
  open class var systemCyan: UIColor { UIColor("systemCyan") }
  open class var systemGray: UIColor { UIColor("systemGray") }
  open class var systemGreen: UIColor { UIColor("systemGreen") }
  open class var systemIndigo: UIColor { UIColor("systemIndigo") }
  open class var systemMint: UIColor { UIColor("systemMint") }
  open class var systemOrange: UIColor { UIColor("systemOrange") }
  open class var systemPink: UIColor { UIColor("systemPink") }
  open class var systemPurple: UIColor { UIColor("systemPurple") }
  open class var systemRed: UIColor { UIColor("systemRed") }
  open class var systemTeal: UIColor { UIColor("systemTeal") }
  open class var systemYellow: UIColor { UIColor("systemYellow") }
  open class var tintColor: UIColor { UIColor("tintColor") }
}
