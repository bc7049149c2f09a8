// SPDX-License-Identifier: GPL-3.0-or-later

import InterfaceDefinition

// Reads an interface from standard input, and prints its Swift values, or with --calls what its calls are checked
// against: see Scripts/steps/interfaces.

let text = sequence(state: ()) { _ in readLine(strippingNewline: false) }.joined()
if CommandLine.arguments.contains("--calls") {
  print(CallWriter(try InterfaceParser.parse(Array(text.utf8))).text, terminator: "")
} else {
  print(SwiftWriter(InterfaceFile(text)).text, terminator: "")
}
