// SPDX-License-Identifier: GPL-3.0-or-later

/// An error or a warning about the form of a text, before its meaning is checked.
package enum FormatDiagnostic: Equatable, Sendable {
  case syntax(TomlSyntaxError.Reason)
  case unsupportedSchema(found: Int64, supported: Int64)
  case unknownKey(suggestion: String?, known: [String])
  case missing(key: String)
  case wrongKind(found: String, expected: Expectation)
  case outOfRange(found: Int64, least: Int64, most: Int64)
  case unknownWord(found: String, suggestion: String?, known: [String])
  case refusedWord(found: String, known: [String])
  case malformed(found: String, expected: Expectation)
  case empty
  case endsInNUL
  case tooLong(byteCount: Int, byteCountMax: Int)
  case repeated(found: String)
  /// The value of another key is missing, without which this one means nothing.
  case without(key: String)
  case maskWithoutBlob
  case maskLength(mask: Int, blob: Int)
  case twoNames
  case twoForms(of: String, hex: String)
  case prefixBackwards
  case noAccount
  case twoAccounts
  case noIdentifierInName(String)
  case onlyForRebind
  /// An identity key that is neither hexadecimal nor base64.
  case malformedKey
  /// An identity key with this number of hexadecimal digits.
  case keyLength(digits: Int)
  case zeroKey
  case notStatic
  case repeatedAddress
  case simulatedRadio(scene: String)
  case more(count: Int, hasError: Bool)
  /// A rule of a single format, as a sentence.
  case rule(String)

  /// The expected value.
  package enum Expectation: Equatable, Sendable {
    case table, tables, list, text, texts, integer
    case companyIdentifier, serviceUUID, hexadecimal
    case identifier, accountName, interfaceName, deviceName, absolutePath, radio
    case address, addressPrefix, networkName, offset, boolean
    /// The expectation of a single format, as the end of a sentence.
    case form(String)
  }

  var severity: Diagnostic.Severity {
    if case .repeated = self { return .warning }
    if case .more(_, hasError: false) = self { return .warning }
    return .error
  }
}
