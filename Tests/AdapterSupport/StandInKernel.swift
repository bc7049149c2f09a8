// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI

/// The management interface of a kernel with one adapter, as far as scanning needs it: commands come in, replies and
/// events go out.
public struct StandInKernel {
  public let index: UInt16 = 3
  public var settings: AdapterSettings = [.powered, .lowEnergy]
  public var supported: AdapterSettings = [.powered, .lowEnergy]
  public var monitors: Set<UInt16> = []
  public var duty = KernelDuty(interval: 96, window: 48)
  public var discovery = KernelDuty(interval: 18, window: 18)
  /// The duty of the last discovery.
  public private(set) var discoveredWith: KernelDuty?
  /// The status with which the next command of this opcode is refused.
  public var refusals: [MgmtOpcode: MgmtStatus] = [:]
  public var isMute = false
  /// The devices with a link.
  public var links: [DeviceAddress] = []
  /// That of every link, in dBm.
  public var rssi: Int8 = -50
  private var monitorCount: UInt16 = 0
  public private(set) var asked: [MgmtOpcode] = []

  public init() {}

  public mutating func answer(_ command: MgmtCommand) -> [MgmtEvent] {
    asked.append(command.opcode)
    guard !isMute else { return [] }
    if let status = refusals[command.opcode] { return [completed(command, status)] }
    switch command.opcode {
    case .readControllerInformation:
      let address: [UInt8] = [1, 2, 3, 4, 5, 6]
      let returned = address + [9, 0x5F, 0] + bytes(supported) + bytes(settings)
      return [completed(command, .success, returned)]
    case .setPowered:
      settings.formUnion(.powered)
      return [completed(command, .success, bytes(settings))]
    case .setLowEnergy:
      settings.formUnion(.lowEnergy)
      return [completed(command, .success, bytes(settings))]
    case .readDefaultSystemConfiguration:
      let parameters =
        [0x11, 0, 2] + bytes(discovery.interval) + [0x12, 0, 2] + bytes(discovery.window)
        + [0x13, 0, 2] + bytes(duty.interval) + [0x14, 0, 2] + bytes(duty.window)
      return [completed(command, .success, parameters)]
    case .setDefaultSystemConfiguration:
      let parameters = Array(command.bytes.dropFirst(6))
      let given = KernelDuty(
        interval: UInt16(parameters[3]) | UInt16(parameters[4]) << 8,
        window: UInt16(parameters[8]) | UInt16(parameters[9]) << 8)
      if parameters[0] == 0x11 { discovery = given } else { duty = given }
      return [completed(command, .success)]
    case .addMonitor:
      monitorCount += 1
      monitors.insert(monitorCount)
      return [completed(command, .success, bytes(monitorCount))]
    case .removeMonitor:
      monitors.remove(UInt16(command.bytes[6]) | UInt16(command.bytes[7]) << 8)
      return [completed(command, .success, Array(command.bytes.suffix(2)))]
    case .startDiscovery:
      discoveredWith = discovery
      return [event(.discovering(true)), completed(command, .success, [6])]
    case .disconnect:
      guard let device = remove(command) else {
        return [completed(command, .notConnected, Array(command.bytes.dropFirst(6)))]
      }
      // The socket that asked gets the reply in place of the event.
      return [completed(command, .success, device.mgmtBytes)]
    case .getConnectionInformation:
      let device = Array(command.bytes.dropFirst(6))
      guard links.contains(where: { $0.mgmtBytes == device }) else {
        return [completed(command, .notConnected, device + [127, 127, 127])]
      }
      return [completed(command, .success, device + [UInt8(bitPattern: rssi), 127, 127])]
    case .stopDiscovery: return [completed(command, .success, [6]), event(.discovering(false))]
    default: return [completed(command, .unknownCommand)]
    }
  }

  /// Ends the link of the device that a command names.
  private mutating func remove(_ command: MgmtCommand) -> DeviceAddress? {
    let bytes = Array(command.bytes.dropFirst(6))
    return links.firstIndex { $0.mgmtBytes == bytes }.map { links.remove(at: $0) }
  }

  /// Ends a link as the kernel reports it to every socket.
  public mutating func end(_ device: DeviceAddress, _ reason: MgmtDisconnectReason) -> MgmtEvent {
    links.removeAll { $0 == device }
    return event(.disconnected(device, reason))
  }

  public func event(_ content: MgmtEvent.Content) -> MgmtEvent {
    MgmtEvent(index: index, content)
  }

  private func completed(
    _ command: MgmtCommand, _ status: MgmtStatus, _ returned: [UInt8] = []
  ) -> MgmtEvent {
    event(.completed(command.opcode, status, returned: returned))
  }

  private func bytes(_ settings: AdapterSettings) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: settings.rawValue >> (8 * $0)) }
  }

  private func bytes(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }
}

extension MgmtEvent {
  /// The message as the kernel writes it.
  public var bytes: [UInt8] {
    let (code, body): (UInt16, [UInt8]) =
      switch content {
      case .completed(let opcode, let status, let returned):
        (1, pair(opcode.rawValue) + [status.rawValue] + returned)
      case .added: (4, [])
      case .removed: (5, [])
      case .settings(let settings):
        (6, (0..<4).map { UInt8(truncatingIfNeeded: settings.rawValue >> (8 * $0)) })
      case .discovering(let isOn): (0x13, [6, isOn ? 1 : 0])
      case .monitorRemoved(let handle): (0x2C, pair(handle))
      case .disconnected(let device, let reason): (0x0C, device.mgmtBytes + [reason.rawValue])
      case .bond(let event): (event.code, event.body)
      case .other(let code): (code, [])
      }
    return pair(code) + pair(index) + pair(UInt16(body.count)) + body
  }

  private func pair(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }
}
