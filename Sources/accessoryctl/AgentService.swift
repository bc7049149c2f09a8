// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import ToolSystem
import ToolText

/// The agent's service, through systemctl; or an agent at a socket that another program starts.
struct AgentService {
  private static let unit = "accessoryd"
  /// Lets the service have sockets of AF_NETLINK (Board/README.md).
  static let networkDropIn = "/etc/systemd/system/accessoryd.service.d/wifi.conf"
  private static let networkDropInSource = "/usr/share/accessoryd/wifi.conf"

  let isManaged: Bool
  private let isActive: Bool

  /// A socket on the command line means that the service is left alone.
  init(socket: String?) throws(ToolError) {
    isManaged = socket == nil
    var isActive = false
    if isManaged {
      let ending = try Self.ending(["systemctl", "is-active", "--quiet", Self.unit], cure: Self.cure)
      // A unit that does not run has status 3 or more.
      if case .exited(1) = ending { throw .sentence("systemd does not answer; \(Self.cure)", .systemError) }
      isActive = ending.isSuccess
    }
    self.isActive = isActive
  }

  private static let cure = "without systemd, start the agent yourself, and name its socket with --socket"

  /// Whether the unit that systemd has loaded lacks the drop-in, or the agent runs since before that was installed: its
  /// file may be there without having been read.
  func lacksNetworkDropIn() throws(ToolError) -> Bool {
    guard isManaged else { return false }
    let show = "systemctl show \(Self.unit) --property="
    let isLoaded = "\(show)RestrictAddressFamilies | grep -qw AF_NETLINK"
    guard try Self.ending(["sh", "-c", isLoaded], cure: Self.cure).isSuccess else { return true }
    guard isActive else { return false }
    // Seconds since 1970. The lines may come from another drop-in than this one.
    let isInForce = """
      installed=$(stat -c %Y \(Self.networkDropIn) 2>/dev/null) || exit 0
      started=$(\(show)ActiveEnterTimestamp --value --timestamp=unix)
      [ "${started#@}" -ge "$installed" ]
      """
    return try !Self.ending(["sh", "-c", isInForce], cure: Self.cure).isSuccess
  }

  static func addNetworkDropIn() throws(ToolError) {
    try run(
      ["install", "-D", "-m", "644", networkDropInSource, networkDropIn],
      cure: "see that the package is installed whole")
    try run(
      ["systemctl", "daemon-reload"], cure: "journalctl -n 20 says why; then run accessoryctl setup again")
  }

  /// What ``follow(_:isUnitChanged:)`` will do, for the operator; nil for nothing.
  func change(isManifestChanged: Bool, isUnitChanged: Bool) -> String? {
    if isManaged, !isActive {
      return "start the agent, now and whenever the gateway starts (systemctl enable --now)"
    }
    if isUnitChanged { return "start the agent again (systemctl restart)" }
    return isManifestChanged ? "make the agent read the manifest again" : nil
  }

  /// Starts the agent, again after its unit changed, or makes it read the manifest: it may have refused that before.
  func follow(_ gateway: GatewayOptions, isUnitChanged: Bool) throws(ToolError) {
    let start: [String]? =
      isManaged && !isActive ? ["enable", "--now"] : isUnitChanged ? ["restart"] : nil
    if let start {
      return try Self.run(
        ["systemctl"] + start + [Self.unit],
        cure: "journalctl -u accessoryd -n 20 says why; then run accessoryctl setup again")
    }
    try Self.reload(gateway)
  }

  /// Makes the agent read the manifest again. Throws when it refuses it.
  static func reload(_ gateway: GatewayOptions) throws(ToolError) {
    let line = try gateway.connect { connection throws(AgentCallError) in
      try ReloadCommand.reload(&connection)
    }
    guard case .refused = line else { return }
    StandardError.write(line.text(TextStyle.plain))
    throw .sentence(
      "the agent refused the manifest, and the previous one stays in force; correct it", .dataError)
  }

  /// Runs a program of the system. Throws when it cannot, or when it fails.
  static func run(_ words: [String], cure: String) throws(ToolError) {
    let name = words[0]
    switch try ending(words, cure: cure) {
    case .exited(0): return
    case .exited(let status):
      throw .sentence("\(words.joined(separator: " ")) failed with status \(status); \(cure)", .systemError)
    case .killed(let signal): throw .sentence("\(name) was ended by signal \(signal); \(cure)", .systemError)
    }
  }

  static func isInstalled(_ program: String) -> Bool {
    let look = ["sh", "-c", "command -v \(program) >/dev/null"]
    return (try? ending(look, cure: cure).isSuccess) ?? false
  }

  private static func ending(_ words: [String], cure: String) throws(ToolError) -> SystemProgram.Ending {
    do throws(SystemError) { return try SystemProgram.run(words) } catch {
      throw .sentence("\(words[0]) cannot be run: \(error.reason); \(cure)", .systemError)
    }
  }
}
