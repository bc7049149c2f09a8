// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import ArgumentParser
import BlueZ
import BondFiles
import HCI
import Interfaces
import JSON
import LinuxSystem
import Manifest
import Registry
import ToolText
import Varlink

struct RegistryImportBondsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import-bonds",
    abstract: "Take over the bonds that bluetoothd has made with accessories.",
    discussion: """
      For a gateway that leaves bluetoothd: stop and disable it first, because two programs cannot \
      use one bond. Reads bluetoothd's folder as root, and hands the agent the bond of each device that is an \
      accessory and was paired with the agent's adapter. Nothing has to be paired again. \
      With --identity-only, bluetoothd keeps the bonds and may run: the agent only learns how \
      to recognise the devices when they change their addresses. Keys are never printed. \
      Exit status: 0 every accessory's bond was taken over, 1 one was not, or there is none.

      Examples:
        sudo accessoryctl registry import-bonds
        sudo accessoryctl registry import-bonds --identity-only
        sudo accessoryctl registry import-bonds --bluetooth-folder /mnt/old/var/lib/bluetooth
      """)

  @Option(
    help: ArgumentHelp("The folder of stored devices.", valueName: "folder"), completion: .directory)
  var bluetoothFolder = KnownDeviceSource.systemFolder

  @Flag(help: "Only the keys by which devices are recognised; bluetoothd keeps the bonds.")
  var identityOnly = false

  @OptionGroup var gateway: GatewayOptions

  func run() throws {
    do throws(SystemError) { try ThisProcess.keepSecrets() } catch { throw ToolError.system(error) }
    if !identityOnly, RunningProcess.bluetoothd() != nil {
      throw ToolError.sentence(
        "bluetoothd runs, and both programs would use the bonds; stop and disable it (systemctl disable --now "
          + "bluetooth), or give --identity-only", .no)
    }
    let adapter = try adapter()
    let stored: StoredBonds
    do throws(SystemError) { stored = try StoredBonds(in: bluetoothFolder) } catch {
      throw ToolError.sentence(
        "\(quoted(bluetoothFolder)) cannot be read: \(error.reason); "
          + (error.isPermission ? "run it as root" : "name bluetoothd's folder with --bluetooth-folder"),
        error.isPermission ? .noPermission : .noInput)
    }
    try importBonds(of: adapter, stored)
  }

  /// The agent's adapter.
  private func adapter() throws(ToolError) -> UInt64 {
    let status = try gateway.status()
    guard let bits = status.radio.address.flatMap(AddressText.bits) else {
      throw .sentence(
        "the agent has no adapter at the moment, so it is unknown which bonds are its own; see accessoryctl status",
        .temporaryFailure)
    }
    return bits
  }

  /// What to do about a file that cannot be used. `isWanted`: it belongs to an accessory of the adapter.
  private func cure(isWanted: Bool) -> String {
    guard isWanted else { return "no accessory of the agent's adapter needs it" }
    return identityOnly
      ? "the gateway cannot recognise the device by it: remove the device with bluetoothctl remove, remove the "
        + "accessory, and set it up again"
      : "its bond cannot be taken over: remove the accessory, and set it up again"
  }

  private func importBonds(of adapter: UInt64, _ stored: StoredBonds) throws(ToolError) {
    let accessories = try gateway.accessories()
    var printer = Printer()
    var taken = 0
    var failed = 0
    for damage in stored.damages {
      let isWanted =
        damage.adapter == adapter
        && accessories.contains {
          // A bond that the gateway has is kept, whatever the file says.
          $0.address?.bits == damage.device && !($0.bond == .bonded && $0.bondOwner == .gateway)
        }
      if isWanted { failed += 1 }
      StandardError.say("\(quoted(damage.path)): \(damage.error.reason); \(cure(isWanted: isWanted))")
    }
    for bond in stored.entries where bond.adapter == adapter {
      guard let accessory = accessories.first(where: { $0.address?.isIdentity(bond.identity) ?? false }),
        let line = ImportedBondLine(bond, identityOnly: identityOnly)
      else { continue }
      let device = "\(line.device) (\(quoted(accessory.displayName)))"
      if let refusal = try importBond(line) {
        failed += 1
        StandardError.say("\(device): \(refusal)")
      } else {
        taken += 1
        let what = identityOnly ? "the gateway recognises it" : "the gateway has its bond"
        try printer.text("\(device): \(what)\n")
      }
      try printer.flush()
    }
    if failed > 0 { throw .reported(.no) }
    guard taken > 0 else {
      throw .sentence(
        "\(quoted(bluetoothFolder)) has no bond of the agent's adapter with an accessory"
          + (identityOnly ? " that changes its address" : ""), .no)
    }
  }

  /// Hands a bond to the agent. Returns why it was not taken over; nil on success.
  private func importBond(_ line: ImportedBondLine) throws(ToolError) -> String? {
    let method = OperatorMethodName.importBond
    do throws(AgentCallError) {
      var connection = try GatewayConnection(path: gateway.path)
      try connection.startCall(method) { line.writeMembers(to: &$0) }
      try connection.onlyReply(within: method.patienceSeconds) { _ throws(JSONMemberError) in }
      return nil
    } catch {
      if case .refused(let reply) = error, reply.error == OperatorErrorName.invalid.rawValue {
        let what = identityOnly ? "its identity key" : "its bond"
        return "\(what) was not taken over: \(ErrorParameters(reply.parameters).sentence("reason"))"
      }
      let error = error.toolError(at: gateway.path)
      // An agent that is gone, or that refuses this account, refuses every bond.
      guard error.status == .usage || error.status == .no, let sentence = error.sentence else { throw error }
      return sentence
    }
  }
}

extension DeviceAddress {
  /// Whether it is this identity address.
  fileprivate func isIdentity(_ identity: DeviceAddress) -> Bool {
    guard bits == identity.bits else { return false }
    switch type {
    case .public, .publicIdentity: return identity.type == .public
    case .random, .randomIdentity: return identity.type == .random
    case .anonymous: return false
    }
  }
}

extension ImportedBondLine {
  /// nil when only the identity key is wanted, and there is none.
  fileprivate init?(_ bond: StoredBonds.Entry, identityOnly: Bool) {
    let keys = bond.record.keys
    guard !identityOnly || keys.identityKey != nil else { return nil }
    self.init(
      device: AddressText.text(of: bond.identity.bits),
      addressType: bond.identity.type == .random ? .random : .public,
      owner: identityOnly ? .bluetoothd : .gateway)
    identityKey = keys.identityKey.map { Hex($0.bytes) }
    guard !identityOnly else {
      isAuthenticated = bond.record.isAuthenticated
      return
    }
    longTermKeys = keys.longTermKeys.map { key in
      let random = (0..<8).map { UInt8(truncatingIfNeeded: key.random >> (8 * UInt64($0))) }
      return LongTermKeyLine(
        kind: key.kind, isCentral: key.central == 1, byteCount: key.byteCount, diversifier: key.diversifier,
        random: Hex(random), value: Hex(key.value.bytes))
    }
    linkKey = keys.linkKey.map {
      LinkKey(kind: $0.kind, pinByteCount: $0.pinByteCount, value: Hex($0.value.bytes))
    }
  }
}
