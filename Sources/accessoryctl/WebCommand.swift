// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import LinuxSystem
import QRCode
import ToolText

struct WebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Print a link to the gateway's page, and look after the browsers that have one.",
    usage: """
      accessoryctl web [--viewer]
      accessoryctl web --list
      accessoryctl web --revoke <name>
      accessoryctl web apply <draft> [options]
      """,
    discussion: """
      The link lets one browser in, once and within two minutes; then the browser is logged in for 12 hours. On a \
      terminal the link is also a QR code, for a phone. With --viewer, the browser may look and not change. \
      Exit status: 0, 1 there is no browser of the name, 69 accessory-web does not run.

      Examples:
        accessoryctl web
        accessoryctl web --list
        accessoryctl web --revoke "Firefox on Linux"
      """,
    subcommands: [WebApplyCommand.self])

  @Flag(help: "The browser may look, and not change.")
  var viewer = false

  @Flag(help: "List the browsers that are logged in.")
  var list = false

  @Option(help: ArgumentHelp("End the session of a browser.", valueName: "name"))
  var revoke: String?

  @OptionGroup var page: PageOptions

  func validate() throws {
    if [viewer, list, revoke != nil].count(where: \.self) > 1 {
      throw ValidationError("--viewer, --list and --revoke exclude each other")
    }
  }

  func run() throws {
    var printer = Printer()
    if list {
      let browsers = try page.ask("list") { line throws(JSONMemberError) in
        try line.objectsIfPresent("browsers") ?? []
      }
      if browsers.isEmpty { StandardError.say("no browser is logged in") }
      for browser in browsers { try printer.text(try Self.text(of: browser)) }
    } else if let revoke {
      let isRevoked = try page.ask("revoke \(revoke)") { line throws(JSONMemberError) in
        try line.bool("isRevoked")
      }
      guard isRevoked else {
        throw ToolError.sentence(
          "no browser is called \(quoted(revoke)); accessoryctl web --list lists them", .no)
      }
      try printer.text("logged out: \(shown(revoke))\n")
    } else {
      try printLink(&printer)
    }
    try printer.flush()
  }

  private static func text(of browser: JSONObjectReader) throws(ToolError) -> String {
    guard let name = try? browser.string("name"), let role = try? browser.string("role"),
      let minutes: Int = try? browser.integer("minutes")
    else { throw PageOptions.notUnderstood }
    return "\(shown(name)): \(shown(role)), logged in for \(minutes / 60) h \(minutes % 60) min more\n"
  }

  private static let guide = "/usr/share/doc/accessory-gateway-web/web.md"

  private func printLink(_ printer: inout Printer) throws(ToolError) {
    let (link, fingerprint) = try page.ask("link \(viewer ? "viewer" : "operator")") {
      line throws(JSONMemberError) in
      (try line.string("link"), try line.stringIfPresent("fingerprint"))
    }
    try printer.text("\(shown(link))\n")
    if printer.isTerminal { for line in QRCode(link)?.lines ?? [] { try printer.text("\(line)\n") } }
    try printer.flush()
    if let fingerprint { StandardError.say("the certificate's fingerprint is \(shown(fingerprint))") }
    StandardError.say("the link is good once, and for two minutes")
    if ["http://127.0.0.1", "http://localhost"].contains(where: link.hasPrefix) {
      StandardError.say(
        "it leads to this machine alone; for another, such as a phone, start accessory-web with --listen, "
          + "or log in by ssh -L; see From another machine in \(Self.guide)")
    }
  }
}

/// Where accessory-web runs.
struct PageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder of accessory-web. (default: /run/accessory-web)", valueName: "folder"),
    completion: .directory)
  var runtime: String?

  private static let patienceSeconds = 5
  static let notUnderstood = ToolError.sentence(
    "accessory-web sends a reply that this tool does not know; update both packages", .unavailable)

  var folder: String { runtime ?? "/run/accessory-web" }

  /// Sends a line to the program, and reads the object that comes back.
  func ask<Value>(
    _ command: String, _ value: (JSONObjectReader) throws(JSONMemberError) -> Value
  ) throws(ToolError) -> Value {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try reply(to: command) } catch {
      if error.isPermission {
        throw .sentence("only operators may do this: root, and members of the group accessory", .noPermission)
      }
      throw .sentence(
        "accessory-web does not reply in \(quoted(folder)) (\(error.reason)); start it: systemctl start accessory-web",
        .unavailable)
    }
    guard case .object(let object)? = try? JSONReader.read(bytes.span) else { throw Self.notUnderstood }
    do throws(JSONMemberError) { return try value(JSONObjectReader(object)) } catch {
      throw Self.notUnderstood
    }
  }

  private func reply(to command: String) throws(SystemError) -> [UInt8] {
    let socket = try UnixConnection.open(path: "\(folder)/control")
    _ = try socket.write(Array("\(command)\n".utf8)[...])
    var (reply, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 12))
    let deadline = try MonotonicInstant.now().advanced(seconds: Self.patienceSeconds)
    while try MonotonicInstant.now() < deadline {
      _ = try Polling.wait([Polling.Entry(socket.number, .readable)], until: deadline)
      guard let count = try socket.read(into: &buffer) else { continue }
      if count == 0 { break }
      reply += buffer[..<count]
    }
    return reply
  }
}
