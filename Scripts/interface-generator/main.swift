// SPDX-License-Identifier: GPL-3.0-or-later

// Reads an interface from standard input, and prints its Swift values, or with --calls what its calls are checked
// against: see Scripts/steps/interfaces.

let lines = sequence(state: ()) { _ in readLine(strippingNewline: false) }
let file = try InterfaceFile(lines.joined())
let isOfCalls = CommandLine.arguments.contains("--calls")
print(isOfCalls ? file.description.callSource : SwiftWriter(file).text, terminator: "")
