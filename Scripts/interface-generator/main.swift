// SPDX-License-Identifier: GPL-3.0-or-later

// Reads an interface from standard input, and prints its Swift values: see Scripts/interfaces.

var text = ""
while let line = readLine(strippingNewline: false) { text += line }
print(SwiftWriter(try InterfaceFile(text)).text, terminator: "")
