// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Varlink

/// `ImportBond`: a bond that bluetoothd has made is taken over. Nothing of the keys is repeated in an error.
enum ImportBondMethod: OperatorMethod {
  static let name = OperatorMethodName.importBond

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let mayHandleKeys = call.client.rights.mayHandleKeys
    guard mayHandleKeys else {
      call.agent.counters.clients.permissionsDenied &+= 1
      return .refusal(Message.error(ServiceError.keysDenied(call.client.peer.uid)))
    }
    let line: ImportedBondLine
    do throws(JSONMemberError) {
      line = try ImportedBondLine(reading: call.parameters.reader)
    } catch {
      throw .invalid(field: error.path, reason: "it is not of the form that the interface says")
    }
    guard let bits = AddressText.bits(line.device) else {
      throw .invalid(field: "device", reason: "an address has six pairs of digits, AA:BB:CC:DD:EE:FF")
    }
    let identity = DeviceAddress(bits: bits, type: line.addressType == .random ? .random : .public)
    guard let record = BondRecord(line) else {
      throw .invalid(field: "longTermKeys", reason: "the keys are not those of a bond of this owner")
    }
    guard record.owner == .bluetoothd || !call.agent.isBluetoothdRunning else {
      throw .invalid(
        field: "owner",
        reason:
          "bluetoothd runs on the adapter, and both programs would use the bond; stop and disable bluetoothd "
          + "(systemctl disable --now bluetooth), or leave the bond to it and import only the identity key")
    }
    let outcome = try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.importBond(identity, record, takesKeys: mayHandleKeys, id)
    }
    call.agent.enqueue(.log(.bondImported(user: call.client.peer.uid, identity)))
    return outcome
  }
}

extension BondRecord {
  /// nil when the keys are not what a bond of this owner has.
  init?(_ line: ImportedBondLine) {
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
