// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

/// The agent as a service manager sees it.
@Suite("The agent as a service")
struct ServiceTests {
  @Test(
    "It is ready when programs can connect, scans, and ends within a second of SIGTERM, leaving no socket")
  func life() throws {
    // A machine that is pushed aside for a second is not so three times.
    var times: [Duration] = []
    while times.count < 3, times.last ?? .seconds(9) >= .seconds(1) { times.append(try endingTime()) }
    #expect(times.last ?? .seconds(9) < .seconds(1), "\(times)")
  }

  private func endingTime() throws -> Duration {
    let agent = try RunningAgent(Folder())
    _ = try UnixConnection.open(path: agent.socket)
    let mode = try FileManager.default.attributesOfItem(atPath: agent.socket)[.posixPermissions] as? Int
    #expect(mode == 0o666)
    try agent.expectRadio("on")
    let start = ContinuousClock.now
    #expect(agent.end() == 0)
    let time = ContinuousClock.now - start
    try agent.manager.expect("STOPPING=1")
    #expect(FileName.content(of: agent.socket) == .nothing)
    return time
  }

  @Test(
    "Started with its standard streams closed, it writes no log line into a file that it opens",
    .enabled(if: geteuid() == 0, "only root sees the descriptors of a process that keeps secrets"))
  func closedStreams() throws {
    let agent = try RunningAgent(Folder(), shell: "exec 0<&- 1>&- 2>&-")
    try agent.expectRadio("on")
    let files = "/proc/\(agent.program.process.processIdentifier)/fd/"
    for number in 0...2 {
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: files + "\(number)") == "/dev/null")
    }
    #expect(agent.end() == 0)
    #expect(try agent.folder.text("socket.lock") == "")
  }

  @Test("SIGINT ends it alike")
  func interrupt() throws {
    let agent = try RunningAgent(Folder())
    agent.program.send(SIGINT)
    #expect(agent.program.wait() == 0)
  }

  @Test("SIGHUP reads the manifest again, and the manager is notified when that begins and ends")
  func reload() throws {
    let agent = try RunningAgent(Folder())
    agent.program.send(SIGHUP)
    try agent.manager.expect("RELOADING") {
      $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=")
    }
    try agent.manager.expect("READY=1")
    #expect(agent.program.errors.contains("notice: the manifest was read again"))
    #expect(agent.end() == 0)
  }

  @Test("A manifest that is wrong at a reload is not taken; the log says where it is wrong")
  func refusedReload() throws {
    let folder = try Folder()
    let agent = try RunningAgent(folder)
    _ = try folder.file("manifest.toml", Folder.manifest.replacing("a55a", with: "a5"))
    agent.program.send(SIGHUP)
    try agent.manager.expect("READY=1")
    _ = try folder.file("manifest.toml", "schema = 1\n[gateway]\nradio = 3\n")
    agent.program.send(SIGHUP)
    try agent.manager.expect("READY=1")
    #expect(agent.program.errors.contains("manifest.toml:3: gateway.radio: "))
    #expect(agent.program.errors.contains("error: the new manifest was refused"))
    #expect(agent.end() == 0)
  }

  @Test("Over the socket that a killed agent left, another one starts")
  func staleSocket() throws {
    let folder = try Folder()
    let first = try RunningAgent(folder)
    first.program.send(SIGKILL)
    #expect(first.program.wait() == -SIGKILL)
    #expect(FileName.content(of: first.socket) == .socket)
    let second = try RunningAgent(folder)
    _ = try UnixConnection.open(path: second.socket)
    #expect(second.end() == 0)
  }

  @Test("Under the journal lines have priorities and no time; elsewhere a time and a word")
  func logLines() throws {
    let journaled = try RunningAgent(Folder(), isJournal: true)
    #expect(journaled.end() == 0)
    let lines = journaled.program.errors.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("<6>accessoryd 0.1.0 serves ") })
    #expect(lines.allSatisfy { $0.hasPrefix("<") && $0.dropFirst(2).hasPrefix(">") })
    let plain = try RunningAgent(Folder())
    #expect(plain.end() == 0)
    let dated = plain.program.errors.split(separator: "\n")
    #expect(!dated.isEmpty)
    #expect(dated.allSatisfy { $0.prefixMatch(of: #/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d [a-z]+: /#) != nil })
  }

  @Test("The watchdog is fed twice per timeout if it is for this process")
  func watchdog() throws {
    let start = ContinuousClock.now
    let agent = try RunningAgent(Folder(), environment: ["WATCHDOG_USEC": "400000"])
    for _ in 0..<4 { try agent.manager.expect("WATCHDOG=1") }
    #expect(ContinuousClock.now - start > .milliseconds(500))
    #expect(agent.end() == 0)
    let other = try RunningAgent(Folder(), environment: ["WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"])
    try other.expectRadio("on")
    #expect(other.end() == 0)
    try other.manager.expect("STOPPING=1")
    #expect(!other.manager.messages.contains("WATCHDOG=1"))
  }

  @Test("Without a free descriptor the loop rests: programs wait, and it does not spin")
  func exhaustion() throws {
    let agent = try RunningAgent(Folder(), radio: "h4:nowhere", shell: "ulimit -n 24")
    let clients = try (0..<40).map { _ in OpenClient(try UnixConnection.open(path: agent.socket)) }
    // The status names the clients once they were accepted; the listener then pauses, and tries once a second.
    try agent.manager.expect("clients") { $0.contains(" clients") }
    for _ in 0..<2 { try agent.manager.waitASecond() }
    #expect(clients.count == 40)
    #expect(agent.end() == 0)
    let sentence = #/the loop turned (\d+) times.*descriptors (\d+) times/#
    let counts = try #require(agent.program.errors.firstMatch(of: sentence))
    #expect(try #require(Int(counts.1)) < 60)
    #expect(try #require(Int(counts.2)) >= 2)
    #expect(
      agent.program.errors.contains("a client has to wait, because the agent cannot open its connection"))
  }
}

/// Keeps a client's descriptor open.
final class OpenClient {
  let descriptor: Descriptor
  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
