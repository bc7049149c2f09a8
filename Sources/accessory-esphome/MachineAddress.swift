// SPDX-License-Identifier: GPL-3.0-or-later

import ESPHome
import BridgeRuntime
import LinuxSystem

/// The address by which Home Assistant knows the gateway. It is made from the machine's id, because an adapter may be
/// replaced, and a Home Assistant on the same machine has an adapter of that address already.
enum MachineAddress {
  private static let path = "/etc/machine-id"

  /// 48 bits, locally administered; even, so that the next one is the Bluetooth address.
  static var bits: UInt64 {
    let id = (try? DurableFile.contents(of: path, byteCountMax: 64)) ?? Array((Host.name ?? "").utf8)
    let digest = GatewayIdentity.digest(of: Array("accessory-esphome ".utf8) + id).prefix(6)
    let bits = digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return bits & 0xFCFF_FFFF_FFFE | 0x0200_0000_0000
  }
}
