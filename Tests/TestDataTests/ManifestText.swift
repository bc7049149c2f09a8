// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a filter has no counterpart among the descriptors.
enum Inexpressible: String, CaseIterable {
  case wholeName = "a descriptor asks for a part of a name, not for all of it"
  case severalNames = "a descriptor has one name substring"
  case severalCompanies = "a descriptor has one company identifier"
  case severalServices = "a descriptor has one service UUID"
  case emptyList = "a clause without a value cannot be written"
  case solicitation = "solicited services are not matched"
  case flags = "flags are not matched"
  case connectable = "whether a device is connectable is not matched"
  case level = "levels are the gate's affair, for every descriptor alike"
  case pattern = "bytes are compared behind a key, not at an offset of any AD type"
  case negation = "a descriptor says what must be there, not what must not"
}

/// A filter as the lines of descriptors in a manifest, one list of lines for each alternative.
struct ManifestText {
  var items: [[String]] = []
  var companies: Set<String> = []
  var services: Set<String> = []
  var names: Set<String> = []

  /// The whole filter: an advertisement matches it when it matches one of the items.
  init(_ filter: MatchCase.Filter) throws(InexpressibleError) {
    try Self.refuse(filter.members)
    let names = [filter.namePrefix, filter.nameSubstring].compactMap(\.self)
    if filter.members.contains("name") { throw InexpressibleError(.wholeName) }
    if names.count > 1 { throw InexpressibleError(.severalNames) }
    let companies = filter.manufacturerData ?? []
    if companies.count > 1 { throw InexpressibleError(.severalCompanies) }
    let required = (filter.services ?? []).count + (filter.serviceData ?? []).count
    if required > 1 { throw InexpressibleError(.severalServices) }
    if (filter.manufacturerData ?? filter.serviceData)?.isEmpty == true || names.contains("") {
      throw InexpressibleError(.emptyList)
    }
    let shared = companies.flatMap { company($0) } + (filter.serviceData ?? []).flatMap { service($0) }
    let alternatives = filter.services ?? filter.servicesAny ?? filter.serviceDataUuidsAny ?? []
    let name =
      filter.namePrefix.map { self.name($0, isPrefix: true) }
      ?? filter.nameSubstring.map { self.name($0, isPrefix: false) } ?? []
    items = alternatives.isEmpty ? [shared + name] : alternatives.map { service($0) + shared + name }
  }

  /// Each member of a filter that is refused, in an item of its own: the fault lies in one of them.
  init(membersOf filter: MatchCase.Filter) throws(InexpressibleError) {
    try Self.refuse(filter.members)
    let companies = filter.manufacturerData ?? []
    if filter.manufacturerData?.isEmpty == true { throw InexpressibleError(.emptyList) }
    if Set(companies.map(\.key)).count < companies.count { throw InexpressibleError(.severalCompanies) }
    items += companies.map { company($0) }
    items += (filter.serviceData ?? []).map { service($0) }
    items += (filter.services ?? []).map { service($0) }
    for prefix in [filter.namePrefix].compactMap(\.self) {
      // With a key, so that it is not refused for standing alone.
      items.append(["bluetooth-company-identifier = 1"] + name(prefix, isPrefix: true))
      self.companies.insert("1")
    }
    if items.isEmpty { throw InexpressibleError(.wholeName) }
  }

  struct InexpressibleError: Error {
    let reason: Inexpressible
    init(_ reason: Inexpressible) { self.reason = reason }
  }

  private static func refuse(_ members: Set<String>) throws(InexpressibleError) {
    let reasons: [(String, Inexpressible)] = [
      ("noneOf", .negation), ("pattern", .pattern), ("flags", .flags),
      ("connectable", .connectable), ("rssiMin", .level), ("pathlossMax", .level),
      ("solicitationUuidsAny", .solicitation),
    ]
    for (member, reason) in reasons where members.contains(member) { throw InexpressibleError(reason) }
  }

  private mutating func company(_ clause: MatchCase.DataClause) -> [String] {
    if let number = Int(clause.key), (0...0xFFFF).contains(number) { companies.insert(clause.key) }
    return ["bluetooth-company-identifier = \(clause.key)"]
      + data(clause, blob: "bluetooth-manufacturer-data-blob", mask: "bluetooth-manufacturer-data-mask")
  }

  private mutating func service(_ clause: MatchCase.DataClause) -> [String] {
    service(String(clause.key.dropFirst().dropLast()))
      + data(clause, blob: "bluetooth-service-data-blob", mask: "bluetooth-service-data-mask")
  }

  private mutating func service(_ uuid: String) -> [String] {
    if uuid.utf8.count == 36 { services.insert("\"\(uuid)\"") }
    return ["bluetooth-service-uuid = \"\(uuid)\""]
  }

  private func data(_ clause: MatchCase.DataClause, blob: String, mask: String) -> [String] {
    (clause.prefix.map { ["\(blob) = \"\($0)\""] } ?? [])
      + (clause.mask.map { ["\(mask) = \"\($0)\""] } ?? [])
  }

  private mutating func name(_ text: String, isPrefix: Bool) -> [String] {
    if !text.isEmpty { names.insert("\"\(text)\"") }
    return ["bluetooth-name-\(isPrefix ? "prefix" : "substring") = \"\(text)\""]
  }

  /// A manifest whose app declares every well-formed identifier of its items.
  var text: String {
    var lines = [
      "schema = 1", "[app.test]", "user = \"test\"", "supports = [\"Bluetooth\"]",
      "bluetooth-company-identifiers = [\(companies.sorted().joined(separator: ", "))]",
      "bluetooth-services = [\(services.sorted().joined(separator: ", "))]",
      "bluetooth-names = [\(names.sorted().joined(separator: ", "))]",
    ]
    for (index, item) in items.enumerated() {
      lines += ["[[app.test.item]]", "name = \"item \(index)\""] + item.map { "descriptor.\($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
