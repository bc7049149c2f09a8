// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

/// The built agent with apps that have a socket of their own.
@Suite("The agent's sockets for apps")
struct AppSocketTests {
  private static let withSocket = Folder.manifest.replacing("user =", with: "socket = true\nuser =")
  private static let status = #"{"method":"io.accessoryd.Gateway.Status"}"#
  private static let activate = #"{"method":"io.accessoryd.Session.Activate","more":true}"#

  private func reload(_ agent: RunningAgent, _ manifest: String) throws {
    _ = try agent.folder.file("manifest.toml", manifest)
    agent.program.send(SIGHUP)
    try agent.manager.expect("RELOADING") { $0.hasPrefix("RELOADING=1") }
    try agent.manager.expect("READY=1")
  }

  @Test("A socket comes and goes with the manifest and the agent, over what a killed agent has left")
  func life() throws {
    let folder = try Folder()
    _ = try folder.file("manifest.toml", Self.withSocket)
    let killed = try RunningAgent(folder)
    killed.program.send(SIGKILL)
    #expect(killed.program.wait() == -SIGKILL)
    #expect(FileName.content(of: folder("app/lights")) == .socket)

    let agent = try RunningAgent(folder)
    let client = try TestClient(folder("app/lights"))
    #expect(try client.call(Self.status)?.contains("org.varlink.service.PermissionDenied") == true)
    #expect(try client.call(Self.activate)?.contains(#""app":"lights""#) == true)
    try reload(agent, Folder.manifest)
    #expect(FileName.content(of: folder("app/lights")) == .nothing)
    try reload(agent, Self.withSocket)
    #expect(try TestClient(folder("app/lights")).call(Self.activate)?.contains(#""app":"lights""#) == true)
    #expect(agent.end() == 0)
    #expect(FileName.content(of: folder("app/lights")) == .nothing)
  }

  @Test(
    "An app whose socket cannot be there is named in the log and in status, until a reload can open it")
  func missing() throws {
    let folder = try Folder()
    _ = try folder.file("manifest.toml", Self.withSocket)
    _ = try folder.file("app", "")
    let agent = try RunningAgent(folder)
    _ = try agent.expectLog(#"warning: the app "lights" has no socket "#)
    let client = try TestClient(agent.socket)
    #expect(try client.call(Self.status)?.contains(#""kind":"appSocketMissing""#) == true)
    try FileManager.default.removeItem(atPath: folder("app"))
    try reload(agent, Self.withSocket)
    #expect(try client.call(Self.status)?.contains("appSocketMissing") == false)
    #expect(FileName.content(of: folder("app/lights")) == .socket)
    #expect(agent.end() == 0)
  }
}
