// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestFormat
import VirtualRadio

extension ControllerScript {
  mutating func read(_ table: TableReader<ControllerKey>) {
    address = table.address(.address) ?? address
    version = table.word(.version, Self.versions) ?? version
    let company = table.node(.manufacturer).flatMap {
      table.companyIdentifier($0, at: table.path(.manufacturer))
    }
    manufacturer = company ?? manufacturer
    hasExtendedAdvertising = table.boolean(.extendedAdvertising) ?? true
    hasCodedPHY = table.boolean(.codedPHY) ?? hasExtendedAdvertising
    answerMicroseconds = table.duration(.answer, in: 0...60_000_000) ?? answerMicroseconds
    batchPerMille = table.share(.batch) ?? batchPerMille
    faults = table.tables(.fault).compactMap { ControllerFault($0) }
  }

  /// Assigned Numbers, 2.1.
  private static let versions: [(String, UInt8)] = [
    ("4.0", 6), ("4.1", 7), ("4.2", 8), ("5.0", 9), ("5.1", 10), ("5.2", 11), ("5.3", 12), ("5.4", 13),
    ("6.0", 14),
  ]
}

/// The effects of a fault, as a scene names them.
private enum FaultEffectName: String, CaseIterable {
  case late, lost, refused
  case hardwareError = "hardware-error"
  case silence, unplug, garbage

  /// The key with the effect's parameter.
  var key: FaultKey? {
    switch self {
    case .late: .delay
    case .lost: nil
    case .refused: .status
    case .hardwareError: .code
    case .silence, .unplug: .length
    case .garbage: .data
    }
  }
}

extension ControllerFault {
  fileprivate init?(_ table: TableReader<FaultKey>) {
    table.require(.effect)
    let known = FaultEffectName.allCases.map { ($0.rawValue, $0) }
    guard let word = table.word(.effect, known) else { return nil }
    for other in FaultEffectName.allCases {
      guard let key = other.key, key != word.key else { continue }
      let users = FaultEffectName.allCases.filter { $0.key == key }.map { "does = \"\($0.rawValue)\"" }
      table.refuse([key], onlyFor: users.joined(separator: " or "))
    }
    let trigger = Trigger(table)
    let effect = Effect(word, table)
    if case .time? = trigger, word == .late || word == .lost || word == .refused {
      table.report(.needsCommand(word.rawValue), at: .at)
    }
    guard let trigger, let effect else { return nil }
    self.init(trigger, effect)
    if case .time = trigger { table.refuse([.stage, .skips, .times], onlyFor: "a fault of a command") }
    table.read(.stage, into: &stage)
    skips = table.integer(.skips, in: 0...1_000_000) ?? 0
    times = table.integer(.times, in: 1...1_000_000)
  }
}

extension ControllerFault.Effect {
  fileprivate init?(_ word: FaultEffectName, _ table: TableReader<FaultKey>) {
    if let key = word.key, key != .length { table.require(key) }
    let milliseconds = table.milliseconds(.length, in: 1...86_400_000)
    switch word {
    case .late:
      guard let delay = table.milliseconds(.delay, in: 1...86_400_000) else { return nil }
      self = .late(milliseconds: delay)
    case .lost: self = .lost
    case .refused:
      guard let status = table.integer(.status, in: 1...UInt8.max) else { return nil }
      self = .refused(ErrorCode(rawValue: status))
    case .hardwareError:
      guard let code = table.integer(.code, in: 0...UInt8.max) else { return nil }
      self = .hardwareError(code)
    case .silence: self = .silence(milliseconds: milliseconds)
    case .unplug: self = .unplug(milliseconds: milliseconds)
    case .garbage:
      guard let bytes = table.value(.data, .hexadecimal, { Hex(digits: $0)?.bytes }) else { return nil }
      self = .garbage(bytes)
    }
  }
}

extension ControllerFault.Trigger {
  fileprivate init?(_ table: TableReader<FaultKey>) {
    switch (table.node(.command) != nil, table.node(.at) != nil) {
    case (false, false):
      table.reportMissing(.noTrigger)
      return nil
    case (true, let isTimed):
      if isTimed { table.report(.twoTriggers, at: .at) }
      guard let opcode = table.value(.command, .command, Opcode.init(text:)) else { return nil }
      self = .command(opcode)
    case (false, true):
      guard let time = table.duration(.at, in: 0...86_400_000_000) else { return nil }
      self = .time(Instant(microseconds: time))
    }
  }
}

extension Opcode {
  private static let names: [(String, Opcode)] = [
    ("reset", .reset), ("set-event-mask", .setEventMask), ("read-local-version", .readLocalVersion),
    ("read-supported-commands", .readSupportedCommands), ("read-address", .readAddress),
    ("le-set-event-mask", .leSetEventMask), ("le-read-local-features", .leReadLocalFeatures),
    ("le-set-random-address", .leSetRandomAddress), ("le-set-scan-parameters", .leSetScanParameters),
    ("le-set-scan-enable", .leSetScanEnable),
    ("le-set-extended-scan-parameters", .leSetExtendedScanParameters),
    ("le-set-extended-scan-enable", .leSetExtendedScanEnable),
  ]

  /// A name, or `0x` and four hexadecimal digits.
  fileprivate init?(text: String) {
    if let known = Self.names.first(where: { $0.0 == text }) {
      self = known.1
    } else if text.hasPrefix("0x"), text.utf8.count == 6, let value = Hex.value(text.dropFirst(2)) {
      self.init(rawValue: UInt16(value))
    } else {
      return nil
    }
  }
}
