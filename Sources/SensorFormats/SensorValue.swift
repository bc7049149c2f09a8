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
