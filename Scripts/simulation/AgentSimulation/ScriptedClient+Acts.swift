// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Varlink
import VarlinkClient
import VirtualRadio

// The calls that clients make, by chance.

extension ScriptedClient {
  /// Facts for its calls, which any client could know.
  struct Hints {
    var epoch: String
    var produced: UInt64
    var addresses: [String]
    var items: [String]
  }

  static let gateway = "io.accessoryd.Gateway."

  /// Makes its first call after it has connected.
  mutating func makeFirstCall(_ hints: Hints) {
    switch role {
    case .auditor: watch(.at(0), hints)
    case .watcher: watch(randomStart(hints), hints)
    case .recorder:
      write(
        PendingCall(kind: .capture, method: Self.gateway + "Capture", wantsMore: true),
        Message.call(Self.gateway + "Capture", more: true))
    case .reporter:
      let milliseconds = dice.pick([0, 20, 100, 1000])
      let forward = dice.pick(["accessories", "items", "everything", "everything"])
      wantsEveryReport = forward == "everything"
      let method = Self.gateway + "WatchReports"
      let message = Message.call(method) { json in
        json.member("forward", forward)
        json.member("batchMilliseconds", milliseconds)
      }
      write(PendingCall(kind: .one, method: method, wantsMore: false), message)
    case .caller, .vandal, .app, .unauthorized, .idler: break
    }
  }

  private mutating func randomStart(_ hints: Hints) -> WatchStart {
    switch dice.number(below: 6) {
    case 0, 1: .anew
    case 2: .otherRun
    case 3: .future
    case 4: .at(hints.produced)
    default: .at(UInt64(dice.number(below: Int(hints.produced) + 1)))
    }
  }

  private mutating func watch(_ start: WatchStart, _ hints: Hints) {
    let method = Self.gateway + "Watch"
    let message = Message.call(method, more: true) { json in
      switch start {
      case .anew: break
      case .at(let sequence):
        json.member("epoch", hints.epoch)
        json.member("sequence", sequence)
      case .otherRun:
        json.member("epoch", String(hints.epoch.reversed()))
        json.member("sequence", 3)
      case .future:
        json.member("epoch", hints.epoch)
        json.member("sequence", hints.produced + 1000)
      }
    }
    write(PendingCall(kind: .watch(start), method: method, wantsMore: true), message)
  }

  /// Makes its next calls; the simulation decides when.
  mutating func act(_ hints: Hints) {
    guard outgoing.count < 1 << 20 else { return }
    switch role {
    case .caller, .app:
      let count = dice.chance(perMille: 30) ? dice.between(50, 300) : dice.between(1, 4)
      for _ in 0..<count { call(hints) }
    case .vandal: breakProtocol(hints)
    case .auditor, .watcher, .recorder, .reporter, .unauthorized, .idler: break
    }
  }

  mutating func call(_ hints: Hints) {
    let gateway = Self.gateway
    switch dice.number(below: 16) {
    case 0, 1: callOnce(.status, gateway + "Status")
    case 2: callOnce(.one, gateway + "Metrics")
    case 3: callForList(gateway + "Sightings") { $0.member("includesAll", true) }
    case 4: callForList(gateway + "Sightings")
    case 5, 6:
      let device = dice.pick(hints.addresses + ["00:00:00:00:00:00", "nonsense"])
      callForList(gateway + "Inspect") { $0.member("device", device) }
    case 7, 8:
      let item = dice.pick(hints.items + ["nonesuch"])
      callForList(gateway + "Inspect") { $0.member("item", item) }
    case 9:
      let device = dice.pick(hints.addresses + ["00:00:00:00:00:00"])
      let seconds = dice.pick([1, 2, 61])
      callForList(gateway + "Capture") { json in
        json.member("device", device)
        json.member("seconds", seconds)
      }
    case 10: if dice.chance(perMille: 300) { callOnce(.reload, gateway + "Reload") }
    case 11: callOnce(.one, "org.varlink.service.GetInfo")
    case 12:
      callOnce(.one, dice.pick([gateway + "Nonesuch", "org.example.Other.Method", gateway + "Sightings"]))
    case 13:
      let all = dice.chance(perMille: 500)
      callForList(gateway + "Networks") { $0.member("includesAll", all) }
    case 14:
      callForList(gateway + "Items")
    default: callOneway()
    }
  }

  private mutating func callOnce(_ kind: PendingCall.Kind, _ method: String) {
    write(PendingCall(kind: kind, method: method, wantsMore: false), Message.call(method))
  }

  private mutating func callForList(_ method: String, _ parameters: (inout JSONWriter) -> Void = { _ in }) {
    write(
      PendingCall(kind: .list, method: method, wantsMore: true),
      Message.call(method, more: true, parameters))
  }

  private mutating func callOneway() {
    let method = Self.gateway + dice.pick(["Status", "Metrics", "Nonesuch", "Watch"])
    write(
      PendingCall(kind: .one, method: method, wantsMore: false), Message.call(method, oneway: true),
      isOneway: true)
  }

  // MARK: Breaking the protocol

  private mutating func breakProtocol(_ hints: Hints) {
    switch dice.number(below: 8) {
    case 0: frame(dice.bytes(dice.between(1, 200)).map { $0 == 0 ? 1 : $0 })
    case 1: outgoing += Array(repeating: UInt8(ascii: "x"), count: dice.pick([16_384, 16_385, 40_000]))
    case 2: outgoing += Array("{\"method\":\"io.accessoryd.Gate".utf8)
    case 3: frame(Array(String(repeating: "[", count: dice.pick([15, 17, 4000])).utf8))
    case 4: frame(Array(String(repeating: "{\"a\":", count: 20).utf8))
    case 5: frame([])
    case 6:
      let method = Self.gateway + "Watch"
      outgoing += Message.call(method, more: true) { $0.member("sequence", -1) }
      book.pending.append(PendingCall(kind: .anything, method: method, wantsMore: true))
    default: frame(Array("{\"method\":7,\"oneway\":\"yes\",\"unknown\":[]}".utf8))
    }
    if dice.chance(perMille: 200) { hasEnded = true }
  }

  private mutating func frame(_ bytes: [UInt8]) {
    outgoing += bytes + [0]
    book.pending.append(PendingCall(kind: .anything, method: "", wantsMore: true))
  }
}
