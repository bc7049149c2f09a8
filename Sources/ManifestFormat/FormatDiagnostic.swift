// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// An error or a warning about the form of a text, before its meaning is checked: what is wrong with it, and how to correct
/// it. This file and `ManifestDiagnostic` hold every sentence.
package struct FormatDiagnostic: Equatable, Sendable {
  package let sentence: String
  let severity: Diagnostic.Severity
  /// Whether the key where it is reported has no value; not so where the text is read as what was probably meant.
  let leavesNoValue: Bool

  private init(_ sentence: String, _ severity: Diagnostic.Severity = .error, leavesNoValue: Bool = true) {
    (self.sentence, self.severity) = (sentence, severity)
    self.leavesNoValue = leavesNoValue && severity == .error
  }

  /// A rule of a single format, as a sentence.
  package static func rule(_ sentence: String) -> Self { Self(sentence) }

  /// The expected value, as the end of a sentence.
  package struct Expectation: Equatable, Sendable {
    let phrase: String

    /// The expectation of a single format.
    package static func form(_ phrase: String) -> Self { Self(phrase: phrase) }
  }

  static func syntax(_ reason: TomlSyntaxError.Reason) -> Self { Self(reason.sentence) }
  static func unsupportedSchema(found: Int64, supported: Int64) -> Self {
    Self("schema \(found) is not known here; this program reads schema = \(supported)")
  }
  /// What is written under the key is no value of a known one, or is read as that of the key that was meant.
  static func unknownKey(suggestion: String?, known: [String]) -> Self {
    let remedy =
      suggestion.map { "did you mean \($0)?" } ?? "the keys here are \(known.joined(separator: ", "))"
    return Self("there is no such key; \(remedy)", leavesNoValue: false)
  }
  package static func missing(key: String) -> Self {
    let cure =
      switch key {
      case "schema": "begin the file with schema = 1"
      case "supports": "add supports = [\"Bluetooth\"], [\"WiFi\"] or both"
      case "name": "add name = \"…\""
      case "user": "add user = \"NAME\", the account of the bridge"
      default: "add it"
      }
    return Self("\(key) is missing; \(cure)")
  }
  package static func wrongKind(found: String, expected: Expectation) -> Self {
    Self("this is \(found); it must be \(expected.phrase)")
  }
  package static func outOfRange(found: Int64, least: Int64, most: Int64) -> Self {
    Self("\(found) is out of range; use \(least) to \(most)")
  }
  /// A word with a suggestion is read as that.
  package static func unknownWord(found: String, suggestion: String?, known: [String]) -> Self {
    let remedy =
      suggestion.map { "did you mean \"\($0)\"?" }
      ?? (known.isEmpty ? "there is none to name: remove it" : "use \(choice(known))")
    return Self("\(found.quotedForDisplay) is not known; \(remedy)", leavesNoValue: suggestion == nil)
  }
  static func refusedWord(found: String, known: [String]) -> Self {
    Self("the option \(found.quotedForDisplay) is not carried over from NSString; use \(choice(known))")
  }
  package static func malformed(found: String, expected: Expectation) -> Self {
    Self("\(found.quotedForDisplay) does not fit; it must be \(expected.phrase)")
  }
  package static let empty = Self("this is empty; write a value or remove the key")
  static let endsInNUL = Self(
    "the NULs at the end are part of no name, although devices may send them; remove them")
  package static func tooLong(byteCount: Int, byteCountMax most: Int) -> Self {
    Self("this has \(byteCount) bytes; at most \(most) fit")
  }
  package static func repeated(found: String) -> Self {
    Self("\(found.quotedForDisplay) is in the list twice; once is enough", .warning)
  }
  static func more(count: Int, hasError: Bool) -> Self {
    Self("\(count) more problems are not shown; fix these first", hasError ? .error : .warning)
  }

  static func choice(_ words: [String]) -> String {
    let quoted = words.map { "\"\($0)\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  /// The value of another key is missing, without which this one means nothing.
  static func without(key: String) -> Self {
    Self("this says something about \(key), which is missing; add that or remove this")
  }
  static let maskWithoutBlob = Self(
    "a mask needs the blob that it belongs to; add the blob or remove the mask")
  static func maskLength(mask: Int, blob: Int) -> Self {
    Self("the mask has \(bytes(mask)) and the blob \(blob); make both the same length", leavesNoValue: false)
  }
  static let twoNames = Self(
    "bluetooth-name-prefix and bluetooth-name-substring exclude each other; keep one of them")
  static func twoForms(of key: String, hex: String) -> Self {
    Self("\(hex) and \(key) exclude each other; keep one of them")
  }
  static let prefixBackwards = Self(
    "\"backwards\" finds a name's end, and the prefix is its beginning; remove it, or use bluetooth-name-substring"
  )
  static let noAccount = Self("no account may act as this app; add user = \"NAME\" or group = \"NAME\"")
  static let twoAccounts = Self("the app has a user and a group; keep one of them")
  static func noIdentifierInName(_ name: String) -> Self {
    Self("\(name.quotedForDisplay) gives no id (letters and digits of ASCII); add id = \"…\" to the item")
  }
  static let onlyForRebind = Self("only step = \"rebind\" has this key; remove it")
  /// `virtual:`, which the command line refuses too.
  package static func simulatedRadio(scene: String) -> Self {
    let file = scene.isEmpty ? "SCENE.toml" : scene.escapedForDisplay(scalarCountMax: 64)
    return Self(
      "the agent simulates no radio; run \"virtual-controller \(file) --socket PATH\" and write \"h4:PATH\" here"
    )
  }

  private static let identityKeyForms =
    "32 hexadecimal digits, the most significant byte first, or the 24 characters of base64"

  /// Neither hexadecimal nor base64.
  static let malformedKey = Self("the key does not fit; write \(identityKeyForms)")
  static func keyLength(digits: Int) -> Self {
    Self(
      "the key has \(digits) hexadecimal digits, and a key has 32; "
        + (digits == 31 || digits == 30
          ? "a zero in front is left out where numbers are printed: write each byte with two digits"
          : "write \(identityKeyForms)"))
  }
  static let zeroKey = Self(
    "a key of zeros identifies nothing; write the device's own identity resolving key")
  static let notStatic = Self(
    "a private address is no identity; write the public address, or the static random one, which begins C to F"
  )
  static let repeatedAddress = Self("the file has the address twice; keep one key for it")
}

extension FormatDiagnostic.Expectation {
  static let table = form("a table")
  static let tables = form("a list of tables, written [[…]]")
  static let text = form("a string in quotes")
  package static let texts = form("a list of strings, [\"…\"]")
  static let integer = form("an integer without quotes")
  static let companyIdentifier = form("a company identifier: \"0x004C\", \"004C\" or the number 76")
  package static let serviceUUID = form("a UUID of 4, 8 or 32 hexadecimal digits, as \"FE0F\" or 8-4-4-4-12")
  package static let hexadecimal = form("hexadecimal digits, two for each byte, as \"a55a0010\"")
  static let identifier = form(
    "1 to 64 letters, digits, dots, dashes or underscores of ASCII, the first a letter or digit")
  static let accountName = form("the name of an account, at most 32 characters without blanks")
  static let interfaceName = form("the name of a network interface, as \"wlan1\", under 16 characters")
  static let deviceName = form("the name of a device in sysfs, as \"serial0-0\" or \"1-1.4:1.0\"")
  static let absolutePath = form("a path from the root, beginning with /")
  static let radio = form("\"any\", \"hci0\", an adapter's address, \"btsnoop:FILE\" or \"h4:PATH\"")
  package static let address = form("an address as \"AA:BB:CC:DD:EE:FF\"")
  static let addressPrefix = form("the first one to six bytes of an address, as \"C4:7C:8D\"")
  static let networkName = form("1 to 32 bytes in hexadecimal digits, two for each, as \"43616dff\"")
  static let boolean = form("true or false, without quotes")
  static let offset = form("\"uncalibrated\" or a number of decibels from -40 to 40")
}

extension FileProtectionError {
  /// Why the file is refused, and what helps.
  public var sentence: String {
    switch self {
    case .notAFile: "this is not a regular file; name the file itself"
    case .foreignOwner(let owner):
      "user \(owner) owns the file and could change it; chown it to root or to the agent's user"
    case .othersWrite(let permissions):
      "others may write the file (mode \(Self.octal(permissions))); chmod go-w it"
    case .othersRead(let permissions):
      "others may read the keys (mode \(Self.octal(permissions))); chmod 600 the file"
    }
  }

  private static func octal(_ permissions: UInt32) -> String {
    let digits = String(permissions, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

/// An error or a warning about a file, with its cure.
public struct Diagnostic: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// The file is not accepted.
    case error
    /// The file is accepted, but probably has a mistake.
    case warning
  }

  public let severity: Severity
  /// Counted from 1; 0 for the file as a whole.
  public let line: Int
  /// The location in the file's tables; empty for the whole file and for syntax errors.
  public let keyPath: String
  /// What is wrong, and how to correct it.
  public let message: String

  package init(severity: Severity, line: Int = 0, keyPath: String = "", message: String) {
    (self.severity, self.line, self.keyPath, self.message) = (severity, line, keyPath, message)
  }

  /// `file:line: key path: sentence`; a warning's sentence begins with the word.
  public func line(inFile fileName: String) -> String {
    let place = line > 0 ? "\(fileName):\(line)" : fileName
    let sentence = severity == .warning ? "warning: \(message)" : message
    return ([place] + (keyPath.isEmpty ? [] : [keyPath]) + [sentence]).joined(separator: ": ")
  }
}

extension Diagnostic: Comparable {
  /// By line, then by key path, then by message: the same order on every run.
  public static func < (left: Diagnostic, right: Diagnostic) -> Bool {
    (left.line, left.keyPath, left.message) < (right.line, right.keyPath, right.message)
  }
}

/// Collects the diagnostics of a text while it is read, by key path; their lines are looked up at the end.
///
/// One reading owns it; it is a class only because many table readers write to it. It keeps the first ``capacity``
/// diagnostics and counts the rest: an integrator corrects the first ones and checks again.
package final class DiagnosticLog {
  static let capacity = 1000

  /// The number of diagnostics that were not kept, and whether one of them is an error.
  private(set) var dropped = (count: 0, hasError: false)
  package private(set) var entries: [(path: ManifestKeyPath, problem: FormatDiagnostic)] = []
  /// The keys of the text that gave no value; rules that need them are skipped.
  private(set) var unreadable: Set<ManifestKeyPath> = []
  /// Where the text has what belongs to a path: misspelt, or in another table.
  private(set) var misplaced: [ManifestKeyPath: ManifestKeyPath] = [:]

  package init() {}

  package func report(_ problem: FormatDiagnostic, at path: ManifestKeyPath) {
    if entries.count < Self.capacity {
      entries.append((path, problem))
    } else {
      dropped.count += 1
      dropped.hasError = dropped.hasError || problem.severity == .error
    }
    if problem.leavesNoValue { noteUnreadable(path) }
  }

  func noteUnreadable(_ path: ManifestKeyPath) { unreadable.insert(path) }

  func note(_ written: ManifestKeyPath, standsFor path: ManifestKeyPath) { misplaced[path] = written }
}
