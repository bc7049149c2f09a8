// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import ManifestFormat
import ToolSystem
import ToolText

/// Which services of this machine may open Bluetooth sockets themselves: what the agent keeps from an app, such a program
/// can have without it.
struct ServicesCheck {
  /// The agent, and bluetoothd.
  private static let expected: Set<String> = ["accessoryd.service", "bluetooth.service"]
  private static let properties = [
    "Id", "User", "DynamicUser", "RestrictAddressFamilies", "PrivateNetwork", "ActiveState", "UnitFileState",
  ]

  /// A warning for each service of an account, with the service's name.
  let warnings: [(service: String, Diagnostic)]
  /// The services of root that may; root may do anything.
  let ofRoot: [String]

  init() throws(ToolError) {
    // The pattern finds what systemd has loaded; what a timer, a socket or the bus will start may not be loaded yet.
    let files = try Self.systemctl(["list-unit-files", "--type=service", "--no-legend", "--plain"])
    let startable = files.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      guard words.count > 1, !words[0].contains("@."), Service.isStartable(words[1]) else { return nil }
      return String(words[0])
    }
    let text = try Self.systemctl(
      ["show", "--property=" + Self.properties.joined(separator: ","), "--", "*.service"] + startable)
    let all = text.split(separator: "\n\n").map(Service.init)
    let services = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }.values.filter {
      $0.isUsed && $0.mayOpenBluetooth && !Self.expected.contains($0.name)
    }
    ofRoot = services.filter { $0.user == nil }.map(\.name).sorted()
    warnings = services.sorted { $0.name < $1.name }.compactMap { service in
      service.user.map { user in
        (
          service.name,
          Diagnostic(
            severity: .warning,
            message: "as \(shown(user)) it may open Bluetooth sockets itself, past the agent; give it "
              + "RestrictAddressFamilies= without AF_BLUETOOTH (systemctl edit \(shown(service.name)))")
        )
      }
    }
  }

  /// What systemctl(1) prints.
  private static func systemctl(_ arguments: [String]) throws(ToolError) -> String {
    let cure = "without systemd, see what keeps each program from sockets of AF_BLUETOOTH"
    let result: (ending: SystemProgram.Ending, bytes: [UInt8])
    do throws(SystemError) { result = try SystemProgram.output(of: ["systemctl"] + arguments) } catch {
      throw .sentence("systemctl cannot be run: \(error.reason); \(cure)", .unavailable)
    }
    guard result.ending.isSuccess else { throw .sentence("systemd does not answer; \(cure)", .unavailable) }
    return String(decoding: result.bytes, as: UTF8.self)
  }

  /// The last line for operators.
  var summary: String {
    let root =
      ofRoot.isEmpty
      ? "" : "; as root, which may do anything, these may: \(ofRoot.map(shown).joined(separator: ", "))"
    let count = warnings.count
    return switch count {
    case 0: "no service of another account may open Bluetooth sockets itself\(root)"
    case 1: "1 service of another account may open Bluetooth sockets itself\(root)"
    default: "\(count) services of other accounts may open Bluetooth sockets themselves\(root)"
    }
  }

  /// What systemctl(1) shows of a service: lines of `key=value`.
  private struct Service {
    private let values: [Substring: Substring]

    init(_ text: Substring) {
      let pairs = text.split(separator: "\n").map {
        $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      }
      values = Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { first, _ in first }
    }

    var name: String { String(values["Id"] ?? "") }

    /// The account that it runs as; nil for root.
    var user: String? {
      let user = values["User"].map(String.init) ?? ""
      if user.isEmpty { return values["DynamicUser"] == "yes" ? "a dynamic user" : nil }
      return user == "root" || user == "0" ? nil : user
    }

    /// It runs, or something may start it: the machine's start, a timer, a socket, the bus, or another service.
    var isUsed: Bool {
      ["active", "activating", "reloading"].contains(values["ActiveState"] ?? "")
        || Self.isStartable(values["UnitFileState"] ?? "")
    }

    /// Whether something may start a service in this state of its file, as systemctl(1) lists them under is-enabled. A
    /// disabled one is started by hand only.
    static func isStartable(_ state: Substring) -> Bool {
      !["", "masked", "masked-runtime", "disabled", "bad", "not-found"].contains(state)
    }

    /// A network of its own has no Bluetooth. Without a restriction systemctl prints no line; a list of what is forbidden
    /// begins with `~`, and an empty one of what is allowed is none.
    var mayOpenBluetooth: Bool {
      guard values["PrivateNetwork"] != "yes" else { return false }
      guard let families = values["RestrictAddressFamilies"] else { return true }
      let isListed = families.split { $0 == " " || $0 == "~" }.contains("AF_BLUETOOTH")
      return families.hasPrefix("~") != isListed
    }
  }
}
