// SPDX-License-Identifier: GPL-3.0-or-later

// Reads an interface from standard input, and prints its Swift values: see Scripts/steps/interfaces.

let text = sequence(state: ()) { _ in readLine(strippingNewline: false) }.joined()
print(SwiftWriter(InterfaceFile(text)).text, terminator: "")
