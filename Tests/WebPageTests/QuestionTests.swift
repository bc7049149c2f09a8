// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Testing
import WebPage

@Suite("What the page asks the agent")
struct QuestionTests {
  private static let address = "C4:A1:00:00:00:99"

  private static func writeDevice(_ json: inout JSONWriter) {
    json.object("device") { json in
      json.member("address", address)
      json.member("addressType", "random")
      json.member("rssi", -45)
      json.member("filteredRSSI", -45)
      json.member("reports", 10)
      json.member("firstSeen", 0)
      json.member("lastSeen", 9)
      json.member("silence", 0)
      json.objects("items", [Int]()) { _, _ in }
      json.member("data", "02010607ffee0ea55b0312")
    }
  }

  private static func writeItem(_ json: inout JSONWriter) {
    json.object("item") { json in
      json.member("app", "lights")
      json.member("item", "bulb")
      json.member(
        "descriptor",
        [
          "bluetooth-company-identifier = \"0x0EEE\"", "bluetooth-manufacturer-data-blob = \"a55a\"",
          "bluetooth-manufacturer-data-mask = \"ffff\"",
        ])
    }
  }

  private static func writeState(_ json: inout JSONWriter) {
    json.object("itemState") { json in
      json.member("app", "lights")
      json.member("item", "bulb")
      json.object("gate") { json in
        json.member("range", "default")
        json.member("samples", 3)
        json.member("reports", 10)
        json.member("silenceMilliseconds", 5)
        json.member("lostMilliseconds", 30_000)
      }
    }
  }

  @Test("An explanation names the byte that differs")
  func explanation() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    let request = bench.request("POST", "/explain", cookie: cookie, body: #"{"device":"\#(Self.address)"}"#)
    bench.send(request)
    bench.reply("Items", continues: true, Self.writeItem)
    bench.reply("Items")
    #expect(bench.calls.last?.method == "Capture")
    bench.reply("Capture", continues: true) { json in
      json.member("time", 1)
      json.member("addresses", [Self.address])
    }
    bench.reply("Capture")
    #expect(bench.response(to: request) == nil)
    bench.reply("Inspect", continues: true, Self.writeDevice)
    bench.reply("Inspect", continues: true, Self.writeState)
    bench.reply("Inspect")
    let text = bench.response(to: request)?.text ?? ""
    #expect(text.contains(#""why":"manufacturer-data-blob: byte 1 differs""#))
    #expect(text.contains(#""firstDifference":1"#))
  }

  @Test("A device that is not in sight is said so")
  func unknownDevice() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    let request = bench.request("POST", "/explain", cookie: cookie, body: #"{"device":"\#(Self.address)"}"#)
    bench.send(request)
    bench.reply("Items")
    bench.refuse("Capture", "io.accessoryd.Gateway.DeviceNotInSight") { $0.member("device", Self.address) }
    #expect(bench.response(to: request)?.status == .notFound)
    #expect(bench.response(to: request)?.text.contains("The device is not heard now.") == true)
  }

  @Test("The past of a device is what the agent remembers of it")
  func past() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    let request = bench.request("POST", "/history", cookie: cookie, body: #"{"device":"\#(Self.address)"}"#)
    bench.send(request)
    #expect(bench.calls.last?.parameters["device"] == .string(Self.address))
    bench.reply("RecentHistory", continues: true) { json in
      json.object("edge") { json in
        json.member("time", 7)
        json.member("event", "lost")
        json.member("app", "lights")
        json.member("item", "bulb")
        json.member("address", Self.address)
        json.member("addressType", "random")
        json.member("reason", "silence")
        json.member("silence", 31)
      }
    }
    bench.reply("RecentHistory")
    let text = bench.response(to: request)?.text ?? ""
    #expect(text.contains(#""tracks":[],"edges":[{"time":7"#), "\(text)")
  }

  private func record() { Issue.record("there is no draft") }

  @Test("A recording is a file that grows, and ends with its download")
  func recording() {
    var bench = PageBench()
    let cookie = bench.logIn(.operator)
    let request = bench.request("POST", "/record", cookie: cookie, body: #"{"seconds":60}"#)
    bench.send(request)
    bench.reply("Capture", continues: true) { $0.member("time", 1) }
    #expect(bench.response(to: request)?.text.hasPrefix("btsnoop\0") == true)
    bench.reply("Capture", continues: true) { json in
      json.objects("packets", [1]) { json, _ in
        json.member("time", 2)
        json.member("direction", "received")
        json.member("packet", "043e00")
      }
    }
    let isLonger = bench.sent(to: request).utf8.count > 24
    #expect(isLonger)
    bench.step(.left(request.id))
    #expect(!bench.calls.contains { $0.method == "Capture" })
    for seconds in ["0", "61", "-1", "\"1\""] {
      let request = bench.request("POST", "/record", cookie: cookie, body: #"{"seconds":\#(seconds)}"#)
      bench.send(request)
      #expect(bench.response(to: request)?.status == .malformed)
    }
  }

  @Test("A draft is checked with the devices that are in sight, and also without the agent")
  func draft() {
    var bench = PageBench()
    let cookie = bench.logIn(.operator)
    for isThere in [true, false] {
      let request = bench.request("POST", "/check", cookie: cookie, body: ##"{"text":"schema = 1\n"}"##)
      bench.send(request)
      if isThere {
        bench.reply("Sightings", continues: true, Self.writeDevice)
        bench.reply("Sightings")
      } else if let call = bench.calls.first(where: { $0.method == "Sightings" }) {
        bench.step(.agentEnded(call.id, "the agent has ended"))
      }
      var found: Draft?
      for case .draft(request.id, let draft) in bench.effects { found = draft }
      guard let draft = found else { return record() }
      #expect(draft.devices.count == (isThere ? 1 : 0))
      #expect(draft.author == nil)
      #expect(draft.text == Array("schema = 1\n".utf8))
    }
  }

  @Test("Questions wait for each other, and too many are turned away")
  func crowd() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    for number in 0..<65 {
      let request = bench.request("GET", "/items", cookie: cookie)
      bench.send(request)
      #expect((bench.response(to: request)?.status == .failed) == (number == 64))
    }
    #expect(bench.calls.count { $0.method == "Items" } == 4)
    bench.reply("Items")
    #expect(bench.calls.count { $0.method == "Items" } == 4)
  }
}
