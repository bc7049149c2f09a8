// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
import HCI

// Events of bonds as the kernel writes them (BlueZ, doc/mgmt-api.txt).

extension MgmtBondEvent {
  /// The code of the event.
  public var code: UInt16 {
    switch self {
    case .linkKey: 0x09
    case .longTermKey: 0x0A
    case .connected: 0x0B
    case .connectFailed: 0x0D
    case .confirmationRequest: 0x0F
    case .passkeyRequest: 0x10
    case .authenticationFailed: 0x11
    case .unpaired: 0x16
    case .passkeyNotification: 0x17
    case .identityKey: 0x18
    }
  }

  /// The parameters of the event.
  public var body: [UInt8] {
    switch self {
    case .linkKey(let key, let isToBeKept):
      [isToBeKept ? 1 : 0] + key.device.mgmtBytes.dropLast() + [0, key.key.kind]
        + key.key.value.bytes + [key.key.pinByteCount]
    case .longTermKey(let key, let isToBeKept):
      [isToBeKept ? 1 : 0] + key.device.mgmtBytes + [key.key.kind, key.key.central, key.key.byteCount]
        + bytes(key.key.diversifier) + bytes(key.key.random) + key.key.value.bytes
    case .identityKey(let key, let address, let isToBeKept):
      [isToBeKept ? 1 : 0] + (address?.mgmtBytes.dropLast() ?? [0, 0, 0, 0, 0, 0]) + key.device.mgmtBytes
        + key.key.bytes
    // Flags and the length of the advertising data.
    case .connected(let device): device.mgmtBytes + [0, 0, 0, 0, 0, 0]
    case .connectFailed(let device, let status), .authenticationFailed(let device, let status):
      device.mgmtBytes + [status.rawValue]
    case .confirmationRequest(let device, let digits):
      device.mgmtBytes + [digits == nil ? 1 : 0] + bytes(digits ?? 0)
    case .passkeyRequest(let device), .unpaired(let device): device.mgmtBytes
    case .passkeyNotification(let device, let digits): device.mgmtBytes + bytes(digits) + [0]
    }
  }

  private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
