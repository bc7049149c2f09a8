// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
@testable import AgentRuntime
import Foundation
import HCI
import LinuxSystem
import Manifest
import Registry
@testable import Setup
import TestSupport
import Testing

@Suite(
  "The programs for signals",
  .enabled(
    if: ConfinedProgram.Account.unprivileged().isPossible, "only root can run a program under another account"
  ))
struct SignalProgramTests {
  private let folder: Folder
  private let start = Instant(microseconds: 0)

  init() throws { folder = try Folder() }

  private func program(_ script: String) throws -> SignalProgram {
    try ProgramFile.writeScript(script, to: folder("lamp"))
    return SignalProgram(path: folder("lamp"), account: .unprivileged())
  }

  private func end(of touch: inout SignalProgram) throws -> SignalProgram.Outcome? {
    let running = try #require(touch.running)
    _ = try Polling.wait(
      [Polling.Entry(running.descriptor.number, .readable)], until: .now().advanced(seconds: 30))
    return touch.takeEnd()
  }

  @Test("One runs, four of each app wait, a sixth is dropped; they run in their order")
  func queue() throws {
    // It ends well for the item whose turn it is.
    var touch = try program(#"exit "$2""#)
    for place in 0..<5 {
      #expect(touch.add(.touch(.success, item: "\(place)", app: "lights")) == nil)
      #expect(touch.startNext(at: start) == nil)
    }
    #expect(touch.add(.touch(.success, item: "9", app: "lights")) == .dropped)
    #expect(touch.add(.touch(.success, item: "0", app: "climate")) == nil)
    #expect(try end(of: &touch) == .ended(.exited(status: 0)))
    for place in 1..<5 {
      #expect(touch.startNext(at: start) == nil)
      #expect(try end(of: &touch) == .ended(.exited(status: Int32(place))))
    }
    #expect(touch.startNext(at: start) == nil)
    #expect(try end(of: &touch) == .ended(.exited(status: 0)))
    #expect(touch.startNext(at: start) == nil && touch.running == nil)
    #expect((touch.counters.done, touch.counters.failed, touch.counters.dropped) == (2, 4, 1))
  }

  @Test("Its arguments are the result of the touch, the item and the app")
  func words() throws {
    var touch = try program(#"[ "$*" = "failure bulb lights" ]"#)
    #expect(touch.add(.touch(.failure, item: "bulb", app: "lights")) == nil)
    #expect(touch.startNext(at: start) == nil)
    #expect(try end(of: &touch) == .ended(.exited(status: 0)))
  }

  @Test("After 5 s it is killed")
  func overdue() throws {
    var touch = try program("exec sleep 1000")
    #expect(touch.add(.touch(.success, item: "bulb", app: "lights")) == nil)
    #expect(touch.startNext(at: start) == nil)
    touch.advance(to: Instant(microseconds: 4_999_999))
    #expect(touch.takeEnd() == nil && touch.deadline == Instant(microseconds: 5_000_000))
    touch.advance(to: Instant(microseconds: 5_000_000))
    #expect(try end(of: &touch) == .overdue)
    #expect(touch.running == nil && touch.deadline == nil && touch.counters.overdue == 1)
  }

  @Test("One that is not there, or may not be run, is said so; without one nothing is run")
  func notRun() throws {
    var touch = SignalProgram(path: folder("none"), account: .unprivileged())
    #expect(touch.add(.touch(.success, item: "bulb", app: "lights")) == nil)
    #expect(touch.startNext(at: start) == nil)
    let missing = try end(of: &touch)
    #expect(missing == .ended(.notRun(SystemError(.execve, code: ENOENT))))
    #expect(missing?.sentence(of: .request)?.contains("there is no such program; correct on-request") == true)
    #expect(touch.counters.notRun == 1)
    touch.path = nil
    #expect(
      touch.add(.touch(.success, item: "bulb", app: "lights")) == nil
        && !touch.isWaiting)
  }

  @Test("The loop runs both beside each other, learns of their ends, and counts them")
  func loop() throws {
    #expect(try Program("/bin/sh", ["-c", "mkfifo -m 666 lamp.pipe bell.pipe"], in: folder).wait() == 0)
    // Each waits for the other.
    for (own, other) in [("lamp", "bell"), ("bell", "lamp")] {
      let script = #"echo > "$0.pipe" & cat "${0%\#(own)}\#(other).pipe"; wait"#
      try ProgramFile.writeScript(script, to: folder(own))
    }
    let gateway = "[gateway]\non-touch = \"\(folder("lamp"))\"\non-request = \"\(folder("bell"))\""
    _ = try folder.file("manifest.toml", Folder.manifest.replacing("[gateway]", with: gateway))
    let disk = Disk(registryPath: "registry") { _ in .registry(.opened(AccessoryRegistry())) }
    try LoopHarness.run(in: folder, disk: disk) { loop in
      let signals: [GatewaySignal] = [
        .touch(.success, item: "bulb", app: "lights"),
        .request(.setup, RandomIdentifier(high: 0, low: 1), app: "lights"),
      ]
      for signal in signals + signals { loop.signalHooks[signal.program].add(signal, &loop.context) }
      try loop.turn { loop in
        SignalProgramKind.allCases.allSatisfy { loop.context.counters.programs[$0]?.done == 2 }
      }
      for kind in SignalProgramKind.allCases {
        let hook = loop.signalHooks[kind]
        #expect(hook.token == nil && hook.program.running == nil)
      }
    }
  }
}
