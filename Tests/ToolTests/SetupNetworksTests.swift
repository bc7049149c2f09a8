// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import Testing
import Varlink

/// What the dialogue of setup shows of networks, with a stand-in for the agent.
@Suite(.serialized)
struct SetupNetworksTests {
  /// Types an answer when setup asks, `refused` first, and returns the page that then shows the item.
  private func page(
    _ statuses: ScriptedAgent.Step..., answer: String = "network Cam", clause: String = #"ssid = "Cam""#,
    refused: [(answer: String, reason: String)] = []
  ) throws -> String {
    let statuses = statuses.compactMap { if case .send(let status) = $0 { status } else { nil } }
    let folder = try TemporaryFolder()
    let reloaded = Message.reply {
      ReloadReply(itemsKept: 0, itemsAdded: 1, itemsRemoved: 0, hasRestartedRadio: false, warnings: [])
        .writeMembers(to: &$0)
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
        "generic", "--operator", "none", "--no-home-assistant", "--wifi", "lo", "--manifest",
        folder.path + "/m.toml",
      ], columns: 200, rows: 60, showsErrors: true)
    try terminal.press("y", "Enter", after: "Go on? [y/N]")
    try terminal.wait(for: "Which device or network is the first accessory?")
    for refused in refused {
      try terminal.press(refused.answer, "Enter")
      try terminal.wait(for: refused.reason)
    }
    try terminal.press(answer, "Enter")
    let page = try terminal.wait(for: "+descriptor.\(clause)")
    try terminal.press("n", "Enter")
    try terminal.wait(for: "accessoryctl: no item was added")
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

  @Test("The name of a network keeps its blanks, and one that no network can have is asked for again")
  func names() throws {
    let page = try page(
      Replies.status(hasNetworks: true), answer: " network  Cam  01 ", clause: #"ssid = " Cam  01 ""#,
      refused: [("network ", "the name of a network has 1 to 32 bytes")])
    #expect(page.contains(#"+name = " Cam  01 ""#))
  }

  @Test("A name that is no UTF-8 is written as its bytes")
  func bytes() throws {
    let page = try page(
      Replies.status(hasNetworks: true), answer: #"network \xFFbad"#, clause: #"ssid-hex = "ff626164""#)
    #expect(page.contains("+name = "))
  }

  @Test("While the agent brings the radio up, setup waits before it lists what is in sight")
  func initialization() throws {
    let starting = Replies.status(state: "recovering", hasNetworks: true)
    let page = try page(starting, starting, Replies.status(hasNetworks: true))
    #expect(page.contains("Which device or network is the first accessory?"))
    #expect(!page.contains("the radio does not scan"), "\(page)")
  }
}
