// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Registry
import Setup
import Varlink

/// `Registry`: the devices that were removed from the registry, the bonds that bluetoothd is to remove, and former
/// identifiers: of removed accessories, then of those whose item or app has left the manifest; one a reply.
struct RegistryStream: SetupStream {
  private var index = 0
  /// The number of the last accessory that was considered.
  private var last: Int64 = 0

  init() {}

  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep {
    let registry = setup.registry
    var index = index
    self.index += 1
    if index < registry.tombstones.count {
      let tombstone = registry.tombstones[index]
      let removed = RegistryLine.Removed(
        app: tombstone.app, item: tombstone.item, device: tombstone.identity.text)
      return reply(RegistryLine(removed: removed))
    }
    index -= registry.tombstones.count
    if index < registry.bondRemovals.count {
      let device = AddressText.text(of: registry.bondRemovals[index].address.bits)
      return reply(RegistryLine(unpairing: RegistryLine.Unpairing(device: device)))
    }
    index -= registry.bondRemovals.count
    if index < registry.formers.count {
      let former = registry.formers[index]
      return reply(former: former.bluetoothIdentifier, ofApp: former.app, former.address)
    }
    return nextOrphan(setup)
  }

  private mutating func nextOrphan(_ setup: SetupCore) -> StreamStep {
    while let next = setup.registry.accessory(
      after: last, where: { setup.status(of: $0) == .orphaned })
    {
      last = next.number
      guard let identifier = next.bluetoothIdentifier,
        let address = setup.registry.device(of: next).identity.address
      else { continue }
      return reply(former: identifier, ofApp: next.app, address)
    }
    return .end(Message.reply())
  }

  private func reply(
    former identifier: RandomIdentifier, ofApp app: String, _ address: DeviceAddress
  ) -> StreamStep {
    let former = RegistryLine.Former(
      app: app, bluetoothIdentifier: identifier.text, device: AddressText.text(of: address.bits))
    return reply(RegistryLine(former: former))
  }

  private func reply(_ line: RegistryLine) -> StreamStep { .reply(Message.line(line)) }
}

/// The lines of a registry that a client is sending.
///
/// Capacity: one import at a time, of as many lines as a registry has rows and ``byteCountMax`` bytes. One that has not
/// gone on for ``idleMilliseconds`` gives way to the next.
struct RegistryImporting {
  static let byteCountMax = 16 << 20
  static let idleMilliseconds: Int64 = 30_000
  static let lineCountMax =
    1 + RegistryTable.allCases.reduce(0) { $0 + RegistryLimits.rowsMax(of: $1) }

  private(set) var lines: [String] = []
  private var byteCount = 0
  private var lastCall: Instant

  init(at now: Instant) { lastCall = now }

  func isIdle(at now: Instant) -> Bool { now.milliseconds(since: lastCall) >= Self.idleMilliseconds }

  mutating func append(_ more: [String], at now: Instant) throws(OperatorError) {
    lastCall = now
    byteCount += more.reduce(0) { $0 + $1.utf8.count }
    guard lines.count + more.count <= Self.lineCountMax, byteCount <= Self.byteCountMax else {
      throw .invalid(field: "lines", reason: "there are more than a registry holds")
    }
    lines += more
  }
}

extension BondRecord {
  /// Reads a bond that an operator hands over, and whose it is.
  static func imported(
    _ parameters: Parameters
  ) throws(OperatorError) -> (identity: DeviceAddress, BondRecord) {
    let line: ImportedBondLine
    do throws(JSONMemberError) { line = try ImportedBondLine(reading: parameters.reader) } catch {
      throw .invalid(field: error.path, reason: "it is not of the form that the interface says")
    }
    guard let bits = AddressText.bits(line.device) else {
      throw .invalid(field: "device", reason: "an address has six pairs of digits, AA:BB:CC:DD:EE:FF")
    }
    guard let record = BondRecord(line) else {
      throw .invalid(field: "longTermKeys", reason: "the keys are not those of a bond of this owner")
    }
    return (DeviceAddress(bits: bits, type: line.addressType == .random ? .random : .public), record)
  }

  /// nil when the keys are not what a bond of this owner has.
  private init?(_ line: ImportedBondLine) {
    var keys = BondKeys()
    keys.identityKey = line.identityKey.flatMap { KeyValue($0.bytes) }
    switch line.owner {
    case .bluetoothd:
      // Only the identity key of such a bond is known.
      guard keys.identityKey != nil, line.longTermKeys.isEmpty, line.linkKey == nil else { return nil }
      self.init(owner: .bluetoothd, isAuthenticated: line.isAuthenticated ?? false, keys: keys)
    case .gateway:
      keys.longTermKeys = line.longTermKeys.compactMap(LongTermKey.init)
      keys.linkKey = line.linkKey.flatMap(LinkKey.init)
      guard !keys.longTermKeys.isEmpty, keys.longTermKeys.count == line.longTermKeys.count, keys.areStorable
      else { return nil }
      self.init(
        owner: .gateway, isAuthenticated: keys.longTermKeys.allSatisfy(\.isAuthenticated), keys: keys)
    }
  }
}

extension LongTermKey {
  fileprivate init?(_ line: LongTermKeyLine) {
    guard let value = KeyValue(line.value.bytes) else { return nil }
    self.init(
      kind: line.kind, central: line.isCentral ? 1 : 0, byteCount: line.byteCount,
      diversifier: line.diversifier, random: UInt64(bigEndian: line.random.bytes.reversed()),
      value: value)
  }
}

extension LinkKey {
  fileprivate init?(_ line: ImportedBondLine.LinkKey) {
    guard let value = KeyValue(line.value.bytes) else { return nil }
    self.init(kind: line.kind, pinByteCount: line.pinByteCount, value: value)
  }
}
