// SPDX-License-Identifier: Apache-2.0

/// A number with the decimal digits that its format has: `mantissa` times ten to the power of `exponent`.
public struct DecimalNumber: Equatable, Sendable {
  public let mantissa: Int64
  /// -18 to 0.
  public let exponent: Int

  /// Digits that are zero at the end of the fraction are left out.
  public init(_ mantissa: Int64, exponent: Int = 0) {
    var (mantissa, exponent) = (mantissa, exponent)
    while exponent < 0, mantissa.isMultiple(of: 10) {
      mantissa /= 10
      exponent += 1
    }
    (self.mantissa, self.exponent) = (mantissa, mantissa == 0 ? 0 : exponent)
  }

  /// The number with at most this many decimals, rounded half away from zero.
  public func rounded(decimals: Int) -> DecimalNumber {
    guard -exponent > decimals else { return self }
    let unit = Self.power(-exponent - decimals)
    let half = mantissa < 0 ? -unit / 2 : unit / 2
    return DecimalNumber((mantissa + half) / unit, exponent: -decimals)
  }

  private static func power(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}

extension DecimalNumber: CustomStringConvertible {
  /// Its digits, which are also a number in JSON: "-7.7".
  public var description: String {
    guard exponent < 0 else { return String(mantissa) }
    let unit = UInt64(Self.power(-exponent))
    let (whole, fraction) = mantissa.magnitude.quotientAndRemainder(dividingBy: unit)
    let digits = String(fraction)
    let zeros = String(repeating: "0", count: -exponent - digits.utf8.count)
    return "\(mantissa < 0 ? "-" : "")\(whole).\(zeros)\(digits)"
  }
}
