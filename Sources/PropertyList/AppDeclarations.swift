// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest
import ManifestEdits

/// What an app's Info.plist declares for AccessorySetupKit, as an app's section of the manifest.
public struct AppDeclarations: Equatable, Sendable {
  private static let supportsKeys = ["NSAccessorySetupSupports", "NSAccessorySetupKitSupports"]
  private static let servicesKey = "NSAccessorySetupBluetoothServices"
  private static let namesKey = "NSAccessorySetupBluetoothNames"
  private static let companiesKey = "NSAccessorySetupBluetoothCompanyIdentifiers"

  public private(set) var supports: [String] = []
  public private(set) var companyIdentifiers: [UInt16] = []
  public private(set) var services: [BluetoothUUID] = []
  public private(set) var names: [String] = []
  /// What the gateway does not have and leaves out, as sentences.
  public private(set) var warnings: [String] = []
  private static let namedMax = 20
  private var leftOut = 0

  /// Reads the keys of a property list; throws everything that is wrong with them, as sentences.
  public init(_ list: PropertyList) throws(AppDeclarationsError) {
    guard case .dictionary(let keys) = list else { throw .noDictionary }
    let known = Self.supportsKeys + [Self.servicesKey, Self.namesKey, Self.companiesKey]
    guard known.contains(where: { keys[$0] != nil }) else { throw .nothingDeclared(keys: known) }
    var mistakes: [String] = []
    for key in Self.supportsKeys { readSupports(keys[key], key, &mistakes) }
    for (value, name) in Self.elements(keys[Self.servicesKey], Self.servicesKey, &mistakes) {
      guard case .string(let text) = value, let service = IdentifierText.serviceUUID(text) else {
        mistakes.append("\(name) is no service UUID: write 4, 8 or 32 hexadecimal digits")
        continue
      }
      if !services.contains(service) { services.append(service) }
    }
    for (value, name) in Self.elements(keys[Self.namesKey], Self.namesKey, &mistakes) {
      guard case .string(let text) = value, !text.isEmpty else {
        mistakes.append("\(name) is no name: write a text")
        continue
      }
      if !names.contains(text) { names.append(text) }
    }
    for (value, name) in Self.elements(keys[Self.companiesKey], Self.companiesKey, &mistakes) {
      guard let company = Self.company(value) else {
        mistakes.append("\(name) is no company identifier: write a number up to 65535, or 0x and 4 digits")
        continue
      }
      if !companyIdentifiers.contains(company) { companyIdentifiers.append(company) }
    }
    guard mistakes.isEmpty else { throw .mistakes(mistakes) }
    if leftOut > Self.namedMax {
      warnings.append("\(leftOut - Self.namedMax) more are left out in the same way")
    }
    // An app that declares devices of Bluetooth uses it.
    if !supports.contains("Bluetooth"), !(companyIdentifiers.isEmpty && services.isEmpty && names.isEmpty) {
      supports.insert("Bluetooth", at: 0)
    }
  }

  private mutating func readSupports(_ value: PropertyList?, _ key: String, _ mistakes: inout [String]) {
    for (value, name) in Self.elements(value, key, &mistakes) {
      switch value {
      case .string("Bluetooth"), .string("WiFi"):
        guard case .string(let text) = value, !supports.contains(text) else { continue }
        supports.append(text)
      case .string(let text):
        leftOut += 1
        guard leftOut <= Self.namedMax else { continue }
        warnings.append("\(name) is \(text.quotedForDisplay), which no gateway has; left out")
      case .dictionary, .array, .integer, .bool, .other:
        mistakes.append("\(name) is no text: write Bluetooth or WiFi")
      }
    }
  }

  /// The elements of an array under a key, each with its name in sentences.
  private static func elements(
    _ value: PropertyList?, _ key: String, _ mistakes: inout [String]
  ) -> [(PropertyList, String)] {
    switch value {
    case nil: return []
    case .array(let elements): return elements.enumerated().map { ($1, "\(key)[\($0)]") }
    case .dictionary, .string, .integer, .bool, .other:
      mistakes.append("\(key) is no array: put its values into one")
      return []
    }
  }

  private static func company(_ value: PropertyList) -> UInt16? {
    switch value {
    case .integer(let number): UInt16(exactly: number)
    // Third-party guides write decimal numbers, too.
    case .string(let text): IdentifierText.companyIdentifier(text) ?? UInt16(text)
    case .dictionary, .array, .bool, .other: nil
    }
  }
}

/// Why a property list has no declarations that can be used.
public enum AppDeclarationsError: Error, Equatable, Sendable {
  /// Its top is no dictionary: it is not an Info.plist.
  case noDictionary
  /// It has none of AccessorySetupKit's keys.
  case nothingDeclared(keys: [String])
  /// Sentences about values.
  case mistakes([String])
}

// MARK: - The section

extension AppDeclarations {
  /// The app's table of a manifest. Its account has the app's name, until the integrator changes it.
  public func section(named name: String) -> String {
    var app = App(name: name, account: .user(name))
    app.supports = Set(supports.compactMap(App.Technology.init))
    app.companyIdentifiers = Set(companyIdentifiers)
    app.services = Set(services)
    app.names = Set(names.map { Array($0.utf8) })
    var lines =
      ["# From the app's Info.plist. Its items come with its calls of ShowPicker."] + app.sectionLines
    lines.insert("# The account that the app runs as.", at: 2)
    return lines.map { $0 + "\n" }.joined()
  }
}
