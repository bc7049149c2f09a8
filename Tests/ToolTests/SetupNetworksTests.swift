// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import Testing
import Varlink

/// What the dialogue of setup shows of networks, with a stand-in for the agent.
@Suite(.serialized)
struct SetupNetworksTests {
  /// Types `network Cam` when setup asks, and returns the page that then shows the item.
  private func page(_ statuses: ScriptedAgent.Step...) throws -> String {
    let statuses = statuses.compactMap { if case .send(let status) = $0 { status } else { nil } }
    let folder = try TemporaryFolder()
    let reloaded = Message.reply {
      ReloadLine.taken(kept: 0, added: 1, removed: 0, radioRestarted: false, warnings: []).writeReply(to: &$0)
    }
    let agent = try StandInAgent(
      [],
      [
        "Status": statuses, "Reload": [reloaded], "Sightings": [Message.reply()],
        "Networks": [Message.reply()],
        "List": [Message.reply()],
      ])
    let terminal = try TerminalSession(
      [
        "setup", "--socket", agent.path, "--app", "cameras", "--user", NSUserName(), "--radio", "hci0",
        "--board",
        "generic", "--operator", "none", "--wifi", "lo", "--manifest", folder.path + "/m.toml",
      ], columns: 200, rows: 60, showsErrors: true)
    try terminal.wait(for: "Go on? [y/N]")
    try terminal.press("y", "Enter")
    try terminal.wait(for: "Which device or network is the first accessory?")
    try terminal.press("network Cam", "Enter")
    let page = try terminal.wait(for: #"+descriptor.ssid = "Cam""#)
    try terminal.press("n", "Enter")
    try terminal.expectEnd(1)
    return page
  }

  @Test("A list of networks without rows says why, and a network can be chosen while the radio does not scan")
  func noNetworks() throws {
    let header = "    dBm  address            security     last seen  name, items\n"
    let failed = try page(Replies.status(state: "absent", networkProblem: "the interface lo is not wireless"))
    #expect(
      failed.contains(
        "accessoryctl: the radio does not scan, so no device is listed; accessoryctl status says why\n"
          + header
          + "accessoryctl: the interface lo is not wireless\n"), "\(failed)")
    let empty = try page(Replies.status(hasNetworks: true))
    #expect(
      empty.contains(
        header
          + "accessoryctl: the kernel knows no network now, and the agent scans only after you choose one: write network and "
          + "its name\n"), "\(empty)")
    #expect(!empty.contains("the radio does not scan"))
  }

  @Test("While the agent brings the radio up, setup waits before it lists what is in sight")
  func initialization() throws {
    let starting = Replies.status(state: "recovering", hasNetworks: true)
    let page = try page(starting, starting, Replies.status(hasNetworks: true))
    #expect(page.contains("Which device or network is the first accessory?"))
    #expect(!page.contains("the radio does not scan"), "\(page)")
  }
}
