// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The status and the return values of a command.
struct CommandResult: Equatable {
  var status: ErrorCode
  var values: [UInt8] = []

  init(status: ErrorCode) { self.status = status }
  init(_ values: [UInt8]) {
    status = .success
    self.values = values
  }

  /// Command Complete. An unknown command gets a Command Status, as from real controllers (Core Specification 5.4,
  /// Volume 4, Part E, 7.7.15).
  func packet(for opcode: Opcode) -> [UInt8] {
    if status == .unknownCommand {
      return PacketEncoder.event(CommandReply.commandStatus, [status.rawValue, 1] + opcode.rawValue.bytes)
    }
    return PacketEncoder.commandComplete(
      opcode.rawValue, status: status.rawValue, status == .success ? values : [])
  }
}

extension VirtualController {
  /// Carries out a command; its effect on scanning begins at `time`.
  mutating func execute(_ opcode: Opcode, _ parameters: [UInt8], at time: Instant) -> CommandResult {
    guard let entry = table[opcode] else { return CommandResult(status: .unknownCommand) }
    guard entry.parameterBytes.contains(parameters.count) else {
      return CommandResult(status: .invalidParameters)
    }
    if let values = readValues(opcode) { return CommandResult(values) }
    return CommandResult(status: changeSettings(opcode, parameters, at: time))
  }

  private mutating func changeSettings(_ opcode: Opcode, _ parameters: [UInt8], at time: Instant) -> ErrorCode
  {
    switch opcode {
    case .reset:
      reset(at: time)
      return .success
    case .setEventMask: linkLayer.eventMask = EventMask(rawValue: parameters.little(0, 8))
    case .leSetEventMask: linkLayer.leEventMask = LEEventMask(rawValue: parameters.little(0, 8))
    case .leSetRandomAddress:
      return linkLayer.setRandomAddress(DeviceAddress(bits: parameters.little(0, 6), type: .random))
    case .leSetScanParameters: return linkLayer.setScanParameters(parameters)
    case .leSetExtendedScanParameters:
      return linkLayer.setExtendedScanParameters(parameters, hasCodedPHY: script.hasCodedPHY)
    case .leSetScanEnable, .leSetExtendedScanEnable: return setScanEnable(opcode, parameters, at: time)
    default: return changeAcceptList(opcode, parameters)
    }
    return .success
  }

  private mutating func setScanEnable(_ opcode: Opcode, _ parameters: [UInt8], at time: Instant) -> ErrorCode
  {
    let status =
      opcode == .leSetScanEnable
      ? linkLayer.setScanEnable(parameters) : linkLayer.setExtendedScanEnable(parameters)
    if status == .success { applySettings(from: time) }
    return status
  }

  /// 7.8.15 to 7.8.17.
  private mutating func changeAcceptList(_ opcode: Opcode, _ parameters: [UInt8]) -> ErrorCode {
    switch opcode.rawValue {
    case 0x2010: linkLayer.acceptList.removeAll()
    case 0x2011:
      guard let address = parameters.typedAddress else { return .invalidParameters }
      return linkLayer.addToAcceptList(address)
    case 0x2012: linkLayer.acceptList.removeAll { $0 == parameters.typedAddress }
    default: return changeAdvertising(opcode, parameters)
    }
    return .success
  }

  /// 7.8.56, 7.8.59 and 7.8.60: there is no advertising set to enable, disable or remove. Every other command here
  /// succeeds and changes nothing.
  private func changeAdvertising(_ opcode: Opcode, _ parameters: [UInt8]) -> ErrorCode {
    switch opcode.rawValue {
    case 0x2039:
      let (enable, count) = (parameters[0], Int(parameters[1]))
      guard enable <= 1, parameters.count == 2 + 4 * count, enable == 0 || count > 0 else {
        return .invalidParameters
      }
      return count == 0 ? .success : .unknownAdvertisingIdentifier
    case 0x203C: return .unknownAdvertisingIdentifier
    default: return .success
    }
  }

  /// The return values of a command that only reads, or nil for any other command.
  private mutating func readValues(_ opcode: Opcode) -> [UInt8]? {
    switch opcode {
    case .readLocalVersion:
      [script.version, 0, 0, script.version] + script.manufacturer.bytes + [0, 0]
    case .readSupportedCommands: (0..<64).map { table.supported[$0] }
    // BR/EDR Not Supported and LE Supported (Volume 2, Part C, 3.3).
    case .readLocalFeatures: [0, 0, 0, 0, 0x60, 0, 0, 0]
    case .readBufferSize: UInt16(251).bytes + [0] + UInt16(8).bytes + [0, 0]
    case .readAddress: Array(script.address.bytes.prefix(6))
    case .leReadBufferSize: UInt16(251).bytes + [8]
    case .leReadLocalFeatures: script.features.rawValue.bytes
    default: readFurtherValues(opcode)
    }
  }

  private mutating func readFurtherValues(_ opcode: Opcode) -> [UInt8]? {
    switch opcode.rawValue {
    case 0x0C14: Array("accessoryd".utf8) + Array(repeating: 0, count: 238)
    case 0x200F: [UInt8(LinkLayer.acceptListCapacity)]
    case 0x2018: dice.next().bytes
    // Passive and active scanning (7.8.27).
    case 0x201C: UInt64(0x30).bytes
    case 0x2023: UInt16(27).bytes + UInt16(328).bytes
    case 0x202F: [UInt16(251), 2120, 251, 2120].flatMap(\.bytes)
    case 0x203A: UInt16(1650).bytes
    case 0x203B: [1]
    default: nil
    }
  }
}

extension ErrorCode {
  fileprivate static var unknownAdvertisingIdentifier: Self { Self(rawValue: 0x42) }
}
