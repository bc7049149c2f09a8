// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest
import ManifestFormat

extension AccessList {
  /// The group whose members are operators.
  private static let operatorGroup = "accessory"

  /// Resolves the names of accounts; called only when a manifest is read. No client may act as an app or a bridge whose
  /// account does not exist, as a warning of the manifest says.
  init(_ manifest: GatewayManifest) {
    self.init(
      operatorUsers: [0, ThisProcess.user], operatorGroups: Set(Self.group(Self.operatorGroup)),
      overflowUser: Self.overflowUser)
    appsWithSocket = Set(manifest.apps.filter(\.hasOwnSocket).map(\.name))
    for app in manifest.apps {
      guard case .known(let id) = AccountDirectory.system.lookUp(app.account) else { continue }
      if app.account.isUser {
        appsOfUser[id, default: []].insert(app.name)
      } else {
        appsOfGroup[id, default: []].insert(app.name)
      }
    }
    for bridge in manifest.bridges {
      guard case .known(let id) = AccountDirectory.system.lookUp(.user(bridge.user)) else { continue }
      bridgeOfUser[id] = bridge
    }
  }

  private static func group(_ name: String) -> [UInt32] {
    guard case .known(let id) = AccountDirectory.system.lookUp(.group(name)) else { return [] }
    return [id]
  }

  /// The user that the kernel reports for users without a number here; its default if the kernel does not say.
  private static var overflowUser: UInt32 {
    let file = try? FileContents(reading: "/proc/sys/kernel/overflowuid", byteCountMax: 64)
    let digits = (file?.bytes ?? []).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return UInt32(String(decoding: digits, as: UTF8.self)) ?? 65_534
  }
}
