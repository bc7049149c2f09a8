// SPDX-License-Identifier: GPL-3.0-or-later

extension FormatDiagnostic.Expectation {
  /// What the value must be, as the end of a sentence.
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
    case .identityKey: "32 hexadecimal digits, the most significant octet first"
    case .truth: "true or false, without quotes"
    case .form(let phrase): phrase
    case .offset: "\"uncalibrated\" or a number of decibels from -40 to 40"
    }
  }
}
