// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import Manifest

/// Reads a board profile.
public enum BoardProfileReader {
  /// Pure. Returns a profile or diagnostics for any bytes.
  public static func read(text: [UInt8], fileName: String) -> Reading<BoardProfile> {
    DocumentReader.read(text: text, fileName: fileName, schema: BoardProfile.schema) { root, log in
      let table = TableReader<BoardKey>(root, at: ManifestKeyPath(), log: log)
      let profile = BoardProfile(table)
      let diagnostics = [
        (ScanKey.low, profile.low), (.balanced, profile.balanced), (.fast, profile.fast),
      ].compactMap { key, duty in duty.diagnostic(at: table.path(.scan).appending(key)) }
      return (profile, log.unreadable.isEmpty ? diagnostics : [])
    }
  }
}

extension BoardProfile {
  fileprivate init(_ table: TableReader<BoardKey>) {
    table.require(.schema)
    _ = table.integer(.schema, in: Self.schema...Self.schema)
    table.require(.name)
    self.init(name: table.value(.name, .identifier) { $0.isIdentifier ? $0 : nil } ?? "")
    table.read(.transport, into: &transport)
    rssiOffset = table.offset()
    let scan: TableReader<ScanKey> = table.table(.scan)
    low.read(scan.table(.low))
    balanced.read(scan.table(.balanced))
    fast.read(scan.table(.fast))
    recovery = table.tables(.recovery).compactMap { RecoveryStep($0) }
    knownLimits = table.options(.knownLimits, KnownLimits.names) ?? []
  }
}

extension TableReader<BoardKey> {
  /// `"uncalibrated"`, or decibels.
  fileprivate func offset() -> Int8? {
    guard let node = node(.rssiOffset) else { return nil }
    if case .integer = node.value { return integer(.rssiOffset, in: -40...40) }
    _ = value(.rssiOffset, .offset) { $0 == "uncalibrated" ? $0 : nil }
    return nil
  }
}

extension ScanDuty {
  fileprivate mutating func read(_ table: TableReader<DutyKey>) {
    table.read(.window, into: &windowMilliseconds, in: 3...10_240)
    table.read(.interval, into: &intervalMilliseconds, in: 3...10_240)
  }

  fileprivate func diagnostic(at path: ManifestKeyPath) -> ManifestDiagnostic? {
    guard windowMilliseconds > intervalMilliseconds else { return nil }
    return ManifestDiagnostic(
      path: path.appending(DutyKey.window),
      kind: .above(DutyKey.interval, windowMilliseconds, most: intervalMilliseconds))
  }
}

extension RecoveryStep {
  fileprivate enum Word: String, CaseIterable {
    case reset, power, rfkill
    case usbReset = "usb-reset"
    case rebind
  }

  fileprivate init?(_ table: TableReader<RecoveryKey>) {
    table.require(.step)
    var word = Word.reset
    table.read(.step, into: &word)
    guard let kind = Kind(word, table) else { return nil }
    self.init(kind: kind)
    table.read(.wait, into: &waitMilliseconds, in: 100...60_000)
  }
}

extension RecoveryStep.Kind {
  /// Reads a step; only `rebind` has names, and it needs both.
  fileprivate init?(_ word: RecoveryStep.Word, _ table: TableReader<RecoveryKey>) {
    let driver = table.value(.driver, .identifier) { $0.isIdentifier ? $0 : nil }
    let device = table.value(.device, .deviceName) { $0.isDeviceName ? $0 : nil }
    switch word {
    case .reset: self = .reset
    case .power: self = .power
    case .rfkill: self = .rfkill
    case .usbReset: self = .usbReset
    case .rebind:
      table.require(.driver)
      table.require(.device)
      guard let driver, let device else { return nil }
      self = .rebind(driver: driver, device: device)
      return
    }
    for key in [RecoveryKey.driver, .device] where table.node(key) != nil {
      table.report(.onlyForRebind, at: key)
    }
  }
}

extension KnownLimits {
  fileprivate static let names: [(String, KnownLimits)] = [
    ("noExtendedScanning", .noExtendedScanning), ("noCodedPHY", .noCodedPHY),
    ("noScanWhileConnecting", .noScanWhileConnecting), ("sharesAntennaWithWiFi", .sharesAntennaWithWiFi),
  ]
}
