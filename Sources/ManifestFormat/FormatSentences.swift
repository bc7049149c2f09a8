// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

extension FormatDiagnostic {
  /// What is wrong with the text, and how to correct it. This file and `RuleSentences` hold every sentence.
  var sentence: String {
    switch self {
    case .syntax(let reason): reason.sentence
    case .unsupportedSchema(let found, let supported):
      "schema \(found) is not known here; this program reads schema = \(supported)"
    case .unknownKey(let suggestion?, _): "there is no such key; did you mean \(suggestion)?"
    case .unknownKey(nil, let known):
      "there is no such key; the keys here are \(known.joined(separator: ", "))"
    case .missing(let key): "\(key) is missing; \(Self.cure(forMissing: key))"
    case .wrongKind(let found, let expected): "this is \(found); it must be \(expected.phrase)"
    case .outOfRange(let found, let least, let most): "\(found) is out of range; use \(least) to \(most)"
    case .unknownWord(let found, let suggestion?, _):
      "\(found.quotedForDisplay) is not known; did you mean \"\(suggestion)\"?"
    case .unknownWord(let found, nil, let known):
      "\(found.quotedForDisplay) is not known; use \(Self.choice(known))"
    case .refusedWord(let found, let known):
      "the option \(found.quotedForDisplay) is not carried over from NSString; use \(Self.choice(known))"
    case .malformed(let found, let expected):
      "\(found.quotedForDisplay) does not fit; it must be \(expected.phrase)"
    case .empty: "this is empty; write a value or remove the key"
    case .endsInNUL: "the NULs at the end are part of no name, although devices may send them; remove them"
    case .tooLong(let byteCount, let most): "this has \(byteCount) bytes; at most \(most) fit"
    case .repeated(let found): "\(found.quotedForDisplay) is in the list twice; once is enough"
    case .without(let key): "this says something about \(key), which is missing; add that or remove this"
    case .maskWithoutBlob: "a mask needs the blob that it belongs to; add the blob or remove the mask"
    case .maskLength(let mask, let blob):
      "the mask has \(Self.bytes(mask)) and the blob \(blob); make both the same length"
    case .twoNames: "bluetooth-name-prefix and bluetooth-name-substring exclude each other; keep one of them"
    case .twoForms(let key, let hex): "\(hex) and \(key) exclude each other; keep one of them"
    case .prefixBackwards:
      "\"backwards\" finds a name's end, and the prefix is its beginning; remove it, or use "
        + "bluetooth-name-substring"
    case .noAccount: "no account may act as this app; add user = \"NAME\" or group = \"NAME\""
    case .twoAccounts: "the app has a user and a group; keep one of them"
    case .noIdentifierInName(let name):
      "\(name.quotedForDisplay) gives no id (letters and digits of ASCII); add id = \"…\" to the item"
    case .onlyForRebind: "only step = \"rebind\" has this key; remove it"
    case .malformedKey: "the key does not fit; write \(Self.identityKeyForms)"
    case .keyLength(let digits):
      "the key has \(digits) hexadecimal digits, and a key has 32; "
        + (digits == 31 || digits == 30
          ? "a zero in front is left out where numbers are printed: write each byte with two digits"
          : "write \(Self.identityKeyForms)")
    case .notStatic:
      "a private address is no identity; write the public address, or the static random one, which begins C to F"
    case .repeatedAddress: "the file has the address twice; keep one key for it"
    case .simulatedRadio(let scene): Self.simulatedRadio(scene: scene)
    case .rule(let sentence): sentence
    case .more(let count, _): "\(count) more problems are not shown; fix these first"
    case .zeroKey: "a key of zeros identifies nothing; write the device's own identity resolving key"
    }
  }

  /// The sentence for `virtual:`, which the command line uses too.
  package static func simulatedRadio(scene: String) -> String {
    let file = scene.isEmpty ? "SCENE.toml" : scene.escapedForDisplay(scalarCountMax: 64)
    return "the agent simulates no radio; run \"virtual-controller \(file) --socket PATH\" and write "
      + "\"h4:PATH\" here"
  }

  static func choice(_ words: [String]) -> String {
    let quoted = words.map { "\"\($0)\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  private static let identityKeyForms =
    "32 hexadecimal digits, the most significant byte first, or the 24 characters of base64"

  static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  private static func cure(forMissing key: String) -> String {
    switch key {
    case "schema": "begin the file with schema = 1"
    case "supports": "add supports = [\"Bluetooth\"], [\"WiFi\"] or both"
    case "name": "add name = \"…\""
    default: "add it"
    }
  }
}

extension TomlSyntaxError.Reason {
  fileprivate var sentence: String {
    switch self {
    case .malformed(let message): "this is not TOML: \(Self.plain(message))"
    case .tooLong(let byteCount):
      "the file has \(byteCount) bytes; at most \(TomlDocument.byteCountMax) are read"
    case .notASCII: "this is not TOML: a character outside ASCII stands outside a string or comment; quote it"
    case .tooManyKeySegments: "a dotted key has more than \(TomlScan.keySegmentsMax) parts; use fewer tables"
    case .tooDeep: "lists and tables stand more than \(TomlScan.depthMax) deep in one another; use fewer"
    case .openString:
      "this is not TOML: a string does not end on its line; close it with the quote it began with"
    case .outOfMemory: "there is not enough memory to read the file"
    }
  }

  /// Returns the parser's message without its opening, with quoted text escaped.
  private static func plain(_ message: String) -> String {
    let opening = "Error while parsing "
    let rest = message.hasPrefix(opening) ? message.dropFirst(opening.count) : message[...]
    return String(rest).escapedForDisplay(scalarCountMax: 200)
  }
}

extension FormatDiagnostic.Expectation {
  /// The expected value, as the end of a sentence.
  var phrase: String {
    switch self {
    case .table: "a table"
    case .tables: "a list of tables, written [[…]]"
    case .list: "a list"
    case .text: "a string in quotes"
    case .texts: "a list of strings, [\"…\"]"
    case .integer: "an integer without quotes"
    case .companyIdentifier: "a company identifier: \"0x004C\", \"004C\" or the number 76"
    case .serviceUUID: "a UUID of 4, 8 or 32 hexadecimal digits, as \"FE0F\" or 8-4-4-4-12"
    case .hexadecimal: "hexadecimal digits, two for each byte, as \"a55a0010\""
    case .identifier:
      "1 to 64 letters, digits, dots, dashes or underscores of ASCII, the first a letter or digit"
    case .accountName: "the name of an account, at most 32 characters without blanks"
    case .interfaceName: "the name of a network interface, as \"wlan1\", under 16 characters"
    case .deviceName: "the name of a device in sysfs, as \"serial0-0\" or \"1-1.4:1.0\""
    case .absolutePath: "a path from the root, beginning with /"
    case .radio:
      "\"any\", \"hci0\", an adapter's address, \"btsnoop:FILE\" or \"h4:PATH\""
    case .address: "an address as \"AA:BB:CC:DD:EE:FF\""
    case .addressPrefix: "the first one to six bytes of an address, as \"C4:7C:8D\""
    case .networkName: "1 to 32 bytes in hexadecimal digits, two for each, as \"43616dff\""
    case .boolean: "true or false, without quotes"
    case .form(let phrase): phrase
    case .offset: "\"uncalibrated\" or a number of decibels from -40 to 40"
    }
  }
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
