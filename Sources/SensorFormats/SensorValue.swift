// SPDX-License-Identifier: Apache-2.0

/// A value that a device advertises in an open format.
public struct SensorValue: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    case number(DecimalNumber)
    case flag(Bool)
    case text(String)
    /// What was done to the device, such as "press": it has happened once, and is no state.
    case event(String)
  }

  /// A name for programs, such as "temperature"; the second value of a name is "temperature_2".
  public let name: String
  public let content: Content
  /// "°C", "%", "hPa"; nil for a number without a unit, and for any other content.
  public let unit: String?

  public init(_ name: String, _ content: Content, unit: String? = nil) {
    (self.name, self.content, self.unit) = (name, content, unit)
  }

  /// The name without the number that tells values of one name apart.
  public var kind: Substring {
    guard let cut = name.lastIndex(of: "_"), Int(name[name.index(after: cut)...]) != nil else {
      return name[...]
    }
    return name[..<cut]
  }

  /// Values that the unit explains.
  private static let unnamed: Set<String> = ["temperature", "humidity", "pressure"]
  /// Values that are left out of a text.
  private static let details: Set<String> = [
    "acceleration_x", "acceleration_y", "acceleration_z", "tx_power", "movement_count", "sequence",
    "advertisement_count", "device_type", "firmware", "settings_revision",
  ]

  /// Values as a text for operators: "22.6 °C, 48 %, battery 97 %". What is rather for programs is left out; nil when
  /// nothing else is there.
  public static func text(of values: [SensorValue]) -> String? {
    let parts = values.filter { !details.contains($0.name) }.map(\.text)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// One decimal is enough for these.
  private static let coarseUnits: Set<String> = ["°C", "%", "hPa"]

  private var text: String {
    let label = String(name.map { $0 == "_" ? " " : $0 })
    switch content {
    case .number(let number):
      let digits = unit.map { Self.coarseUnits.contains($0) ? number.rounded(decimals: 1) : number } ?? number
      let quantity = unit.map { "\(digits) \($0)" } ?? "\(digits)"
      return Self.unnamed.contains(name) ? quantity : "\(label) \(quantity)"
    case .flag(let isSet): return "\(label): \(isSet ? "yes" : "no")"
    case .text(let text), .event(let text): return "\(label): \(text)"
    }
  }
}

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
