// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
public import JSON

/// An item for the manifest that finds a device like one that was heard.
///
/// It asks for a company or a service, for the first bytes after it that never changed (without the device's own
/// address), and for the name where the bytes say too little. All of it comes from one advertising set, because the
/// clauses of an item must hold in one.
public struct Suggestion: Equatable, Line {
  private static let blobBytesMax = 8
  /// What `touch` and `automatic` ask of a blob.
  private static let maskBitsEnough = 16

  /// A line of the descriptor: key and value.
  private struct Clause: Equatable, Sendable {
    let key: String
    let value: String
  }

  public let address: DeviceAddress
  public let reportCount: Int
  /// `bluetooth-company-identifiers` or `bluetooth-services`, and what stands in it.
  private let declaration: Clause
  private let clauses: [Clause]
  private let nameClause: AirText?
  private let itemName: String
  /// Which of the device's several sets was taken, in words; nil when it has but one.
  private let setNote: String?
  /// How many bits the clauses behind the key ask for.
  private let askedBitCount: Int

  /// An item for each device of an address, which differ in its type.
  public static func all(of sources: [SuggestionSource]) -> [Suggestion] {
    let types = Set(sources.map(\.address.type.rawValue)).sorted()
    return types.compactMap { type in
      Suggestion(sets: sources.filter { $0.address.type.rawValue == type })
    }
  }

  /// The most exact item of all the device's advertising sets. Nil when none names a company or a service: no item
  /// could find it.
  public init?(sets: [SuggestionSource]) {
    let name = sets.compactMap(\.name).first
    let candidates = sets.compactMap { Suggestion($0, name: $0.name ?? name, isOneOfSeveral: sets.count > 1) }
    guard var best = candidates.first else { return nil }
    for candidate in candidates where candidate.askedBitCount > best.askedBitCount { best = candidate }
    self = best
  }

  /// `name` is the name that operators see; the clause takes only the set's own.
  private init?(_ source: SuggestionSource, name title: AdvertisementFields.Name?, isOneOfSeveral: Bool) {
    address = source.address
    setNote = isOneOfSeveral ? source.advertisingSID.map { "set \($0)" } ?? "legacy advertising" : nil
    reportCount = source.reportCount
    guard let key = Key(source) else { return nil }
    let blob = key.data.flatMap { Self.blob($0, address: source.address) }
    declaration = Clause(key: key.list, value: "[\(key.value)]")
    clauses = [Clause(key: key.clause, value: key.value)] + (blob.map { key.clauses(for: $0) } ?? [])
    let name = title.map(\.text).flatMap { $0.isWellFormed && !$0.bytes.isEmpty ? $0 : nil }
    let bitCount = blob?.mask.reduce(0) { $0 + $1.nonzeroBitCount } ?? 0
    nameClause = bitCount < Self.maskBitsEnough && source.name != nil ? name : nil
    askedBitCount = bitCount + 8 * (nameClause?.bytes.count ?? 0)
    let isNameable = name?.bytes.contains { $0.isLetterOrDigit } ?? false
    itemName = isNameable ? name?.repaired ?? "" : "Device \(source.address.text ?? "without address")"
  }

  /// A whole manifest with the item.
  public var toml: String {
    let reports = "\(reportCount) \(reportCount == 1 ? "report" : "reports")"
    var lines = [
      "schema = 1",
      "# From \(reports) of \(address.text ?? "?") (\(address.type.text)). Bits that changed are masked",
      "# out; take out what only this one device sends, and name the app's own account.",
    ]
    if let setNote { lines.append("# It has several advertising sets; this is its \(setNote).") }
    lines += [
      "[app.new]",
      "user = \"daemon\"",
      "supports = [\"Bluetooth\"]",
      "\(declaration.key) = \(declaration.value)",
    ]
    if let nameClause { lines.append("bluetooth-names = [\(Self.quoted(nameClause.repaired))]") }
    lines += ["", "[[app.new.item]]", "name = \(Self.quoted(itemName))"]
    lines += clauses.map { "descriptor.\($0.key) = \($0.value)" }
    if let nameClause {
      lines.append("descriptor.bluetooth-name-substring = \(Self.quoted(nameClause.repaired))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  public func writeMembers(to json: inout JSONWriter) { SuggestionLine(self).writeMembers(to: &json) }

  /// The first bytes, up to the last bit that never changed; nil when there is none.
  private static func blob(
    _ data: SuggestionSource.Stable, address: DeviceAddress
  ) -> SuggestionSource.Stable? {
    var blob = data
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(8 * $0)) }
    for own in [bytes, bytes.reversed()] {
      for start in blob.blob.indices where blob.blob[start...].starts(with: own) {
        for index in start..<(start + 6) { blob.mask[index] = 0 }
      }
    }
    let count = min(blobBytesMax, (blob.mask.lastIndex { $0 != 0 } ?? -1) + 1)
    blob.blob = zip(blob.blob, blob.mask).prefix(count).map { $0 & $1 }
    blob.mask = Array(blob.mask.prefix(count))
    return blob.mask.contains { $0 != 0 } ? blob : nil
  }

  /// A TOML basic string.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
      return scalar.isInvisible ? "\\U" + Hex.digits(UInt64(scalar.value), count: 8) : String(scalar)
    }
    return "\"\(escaped.joined())\""
  }
}

extension Suggestion {
  /// What the item is found by.
  private enum Key {
    case company(UInt16, SuggestionSource.Stable)
    case service(BluetoothUUID, SuggestionSource.Stable?)

    init?(_ source: SuggestionSource) {
      if let company = source.companies.first {
        self = .company(company.identifier, company.data)
      } else if let service = source.serviceData.first {
        self = .service(service.uuid, service.data)
      } else if let uuid = source.services.first {
        self = .service(uuid, nil)
      } else {
        return nil
      }
    }

    var data: SuggestionSource.Stable? {
      switch self {
      case .company(_, let data): data
      case .service(_, let data): data
      }
    }

    var list: String {
      switch self {
      case .company: "bluetooth-company-identifiers"
      case .service: "bluetooth-services"
      }
    }

    var clause: String {
      switch self {
      case .company: "bluetooth-company-identifier"
      case .service: "bluetooth-service-uuid"
      }
    }

    var value: String {
      switch self {
      case .company(let identifier, _): "\"0x\(Hex.digits(UInt64(identifier), count: 4).uppercased())\""
      case .service(let uuid, _): "\"\(uuid.text)\""
      }
    }

    func clauses(for blob: SuggestionSource.Stable) -> [Clause] {
      let prefix =
        switch self {
        case .company: "bluetooth-manufacturer-data"
        case .service: "bluetooth-service-data"
        }
      return [
        Clause(key: prefix + "-blob", value: "\"\(Hex(blob.blob).text)\""),
        Clause(key: prefix + "-mask", value: "\"\(Hex(blob.mask).text)\""),
      ]
    }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}

extension SuggestionLine {
  public init(_ suggestion: Suggestion) {
    self.init(
      address: WireAddress(suggestion.address), reportCount: suggestion.reportCount, toml: suggestion.toml)
  }
}
