// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The commands that a virtual controller knows, with their bits in the supported commands (Core Specification 5.4,
/// Volume 4, Part E, 6.27) and the byte counts of their parameters: what the agent and a Linux kernel send to
/// initialize a controller.
struct CommandTable: Sendable {
  struct Entry: Sendable {
    var opcode: UInt16
    var bit: SupportedCommands.Bit?
    var parameterBytes: ClosedRange<Int>

    init(_ opcode: UInt16, _ byte: Int?, _ bit: UInt8 = 0, _ parameterBytes: Int) {
      self.init(opcode, byte, bit, parameterBytes...parameterBytes)
    }

    init(_ opcode: UInt16, _ byte: Int?, _ bit: UInt8 = 0, _ parameterBytes: ClosedRange<Int>) {
      self.opcode = opcode
      self.bit = byte.map { SupportedCommands.Bit($0, bit) }
      self.parameterBytes = parameterBytes
    }
  }

  private let entries: [UInt16: Entry]

  init(_ script: ControllerScript) {
    let known = Self.common + (script.hasExtendedAdvertising ? Self.extended : [])
    entries = Dictionary(known.map { ($0.opcode, $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(_ opcode: Opcode) -> Entry? { entries[opcode.rawValue] }

  var supported: SupportedCommands {
    entries.values.reduce(into: SupportedCommands()) { commands, entry in
      if let bit = entry.bit { commands.insert(bit) }
    }
  }

  private static let common = [
    Entry(0x0C01, 5, 6, 8),  // Set Event Mask
    Entry(0x0C03, 5, 7, 0),  // Reset
    Entry(0x0C13, 7, 0, 248),  // Write Local Name
    Entry(0x0C14, 7, 1, 0),  // Read Local Name
    Entry(0x0C63, 22, 2, 8),  // Set Event Mask Page 2
    Entry(0x0C6D, 24, 6, 2),  // Write LE Host Support
    Entry(0x1001, 14, 3, 0),  // Read Local Version Information
    Entry(0x1002, nil, 0, 0),  // Read Local Supported Commands
    Entry(0x1003, 14, 5, 0),  // Read Local Supported Features
    Entry(0x1005, 14, 7, 0),  // Read Buffer Size
    Entry(0x1009, 15, 1, 0),  // Read BD_ADDR
    Entry(0x2001, 25, 0, 8),  // LE Set Event Mask
    Entry(0x2002, 25, 1, 0),  // LE Read Buffer Size
    Entry(0x2003, 25, 2, 0),  // LE Read Local Supported Features
    Entry(0x2005, 25, 4, 6),  // LE Set Random Address
    Entry(0x200B, 26, 2, 7),  // LE Set Scan Parameters
    Entry(0x200C, 26, 3, 2),  // LE Set Scan Enable
    Entry(0x200F, 26, 6, 0),  // LE Read Filter Accept List Size
    Entry(0x2010, 26, 7, 0),  // LE Clear Filter Accept List
    Entry(0x2011, 27, 0, 7),  // LE Add Device To Filter Accept List
    Entry(0x2012, 27, 1, 7),  // LE Remove Device From Filter Accept List
    Entry(0x2018, 27, 7, 0),  // LE Rand
    Entry(0x201C, 28, 3, 0),  // LE Read Supported States
    Entry(0x2023, 33, 6, 0),  // LE Read Suggested Default Data Length
    Entry(0x2024, 33, 7, 4),  // LE Write Suggested Default Data Length
    Entry(0x202F, 35, 3, 0),  // LE Read Maximum Data Length
    Entry(0x2031, 35, 5, 3),  // LE Set Default PHY
  ]

  private static let extended = [
    Entry(0x2039, 36, 5, 2...254),  // LE Set Extended Advertising Enable
    Entry(0x203A, 36, 6, 0),  // LE Read Maximum Advertising Data Length
    Entry(0x203B, 36, 7, 0),  // LE Read Number of Supported Advertising Sets
    Entry(0x203C, 37, 0, 1),  // LE Remove Advertising Set
    Entry(0x203D, 37, 1, 0),  // LE Clear Advertising Sets
    Entry(0x2041, 37, 5, 8...13),  // LE Set Extended Scan Parameters
    Entry(0x2042, 37, 6, 6),  // LE Set Extended Scan Enable
  ]
}
