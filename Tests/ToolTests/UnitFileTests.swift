// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// What the units of the package promise. `Scripts/steps/units` has systemd's opinion of them.
@Suite("The systemd units")
struct UnitFileTests {
  /// The settings of a unit, each with its values in their order.
  private static func settings(_ unit: String) throws -> [String: [String]] {
    let text = try String(contentsOfFile: Package.path("Board/systemd/\(unit)"), encoding: .utf8)
    let pairs = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      line.firstIndex(of: "=").map { (String(line[..<$0]), [String(line[line.index(after: $0)...])]) }
    }
    return Dictionary(pairs, uniquingKeysWith: +)
  }

  @Test("A recovery path that met its start limit is started again when the limit's time is over")
  func recoveryComesBack() throws {
    let path = try Self.settings("accessoryd-recovery.path")
    let timer = try Self.settings("accessoryd-recovery-again.timer")
    let service = try Self.settings("accessoryd-recovery.service")
    #expect(path["OnFailure"] == ["accessoryd-recovery-again.timer"])
    #expect(timer["Unit"] == ["accessoryd-recovery.path"])
    #expect(timer["OnActiveSec"] == ["1h"] && service["StartLimitIntervalSec"] == ["1h"])
    // A timer that has elapsed and stays active could not be started a second time.
    #expect(timer["RemainAfterElapse"] == ["no"])
  }

  @Test("The agent's unit limits its memory, its processes and its descriptors")
  func limits() throws {
    let unit = try Self.settings("accessoryd.service")
    #expect(unit["MemoryMax"] == ["64M"] && unit["MemorySwapMax"] == ["0"])
    #expect(unit["TasksMax"] == ["24"] && unit["LimitNOFILE"] == ["1024:8192"])
  }

  @Test("The agent's unit keeps it from every device file, other sockets, and files that are not its own")
  func confinement() throws {
    let unit = try Self.settings("accessoryd.service")
    #expect(unit["RestrictAddressFamilies"] == ["AF_UNIX AF_BLUETOOTH"] && unit["IPAddressDeny"] == ["any"])
    #expect(unit["PrivateDevices"] == ["yes"] && unit["DevicePolicy"] == ["closed"])
    #expect(unit["DeviceAllow"] == nil && unit["ReadWritePaths"] == nil)
    #expect(unit["ProtectSystem"] == ["strict"] && unit["ProtectHome"] == ["yes"])
    #expect(unit["User"] == ["accessoryd"] && unit["NoNewPrivileges"] == ["yes"])
    #expect(unit["CapabilityBoundingSet"] == ["CAP_NET_ADMIN CAP_NET_RAW"])
  }

  @Test("What the drop-ins add to the agent's rights is what the security policy says")
  func dropIns() throws {
    let capabilities = "CAP_SETUID CAP_SETGID CAP_KILL"
    #expect(
      try Self.settings("touch.conf") == [
        "CapabilityBoundingSet": [capabilities], "AmbientCapabilities": [capabilities],
        "SystemCallFilter": ["@setuid"],
      ])
    #expect(try Self.settings("wifi.conf") == ["RestrictAddressFamilies": ["AF_NETLINK"]])
    let names = try FileManager.default.contentsOfDirectory(atPath: Package.path("Board/systemd"))
    let dropIns = names.filter { $0.hasSuffix(".conf") && $0 != "sysusers.conf" && $0 != "tmpfiles.conf" }
    #expect(dropIns.sorted() == ["exclusive.conf", "touch.conf", "wifi.conf"])
  }
}
