// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON
import Testing
import WebPage

@Suite("Streams of open pages")
struct StreamTests {
  private static func count(_ bench: PageBench, _ method: String) -> Int {
    bench.calls.count { $0.method == method }
  }

  private static func capabilities(_ bench: PageBench) -> [String]? {
    // The list of accessories and the agent's events are streams too, and have no such member.
    let call = bench.calls.last { $0.id.number == 3 }
    return call.map { (try? JSONObjectReader($0.parameters).stringsIfPresent("capabilities")) ?? [] }
  }

  @Test("Many pages cost the agent no more than one")
  func fanOut() {
    var bench = PageBench()
    let cookie = bench.logIn(.operator)
    var streams: [WebRequest] = []
    for _ in 0..<32 {
      let stream = bench.request("GET", "/events", cookie: cookie)
      bench.send(stream)
      streams.append(stream)
    }
    #expect(bench.calls.count <= 5)
    let more = bench.request("GET", "/events", cookie: cookie)
    bench.send(more)
    #expect(
      bench.response(to: more)?.text.hasPrefix(
        "event: refused\ndata: {\"sentence\":\"Too many pages are open.") == true)
    let before = bench.effects.count
    bench.reply("List", continues: true) { $0.member("isSynced", true) }
    for stream in streams {
      let text = bench.sent(to: stream, after: before)
      #expect(text.contains("event: accessories\ndata: {\"accessories\":[]}\n\n"))
    }
    for stream in streams { bench.step(.left(stream.id)) }
    #expect(bench.calls.count { $0.id.number < 100 } == 2)
  }

  @Test("The agent hears what a person can do only while an operator's page is open")
  func capabilities() {
    var bench = PageBench()
    let (viewer, operatorCookie) = (bench.logIn(.viewer), bench.logIn(.operator))
    #expect(Self.capabilities(bench) == nil)
    let first = bench.request("GET", "/events", cookie: viewer)
    bench.send(first)
    #expect(Self.capabilities(bench) == [])
    let second = bench.request("GET", "/events", cookie: operatorCookie)
    bench.send(second)
    #expect(Self.capabilities(bench) == ["display", "keyboard", "yesNo"])
    bench.step(.left(second.id))
    #expect(Self.capabilities(bench) == [])
    bench.step(.left(first.id))
    #expect(Self.capabilities(bench) == nil)
  }

  @Test("The agent's status is asked for once a second, while a page is open")
  func status() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    bench.now = .seconds(10)
    bench.step(.timePassed)
    #expect(Self.count(bench, "Status") == 0)
    let stream = bench.request("GET", "/events", cookie: cookie)
    bench.send(stream)
    #expect(Self.count(bench, "Status") == 1)
    // It is not asked again before it has replied.
    bench.now = .seconds(11)
    bench.step(.timePassed)
    #expect(Self.count(bench, "Status") == 1)
  }

  @Test("The agent's history, apps and items are asked for every five seconds, one after the other")
  func history() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    let stream = bench.request("GET", "/events/devices", cookie: cookie)
    bench.send(stream)
    bench.reply("List", continues: true) { json in
      json.object("accessory") { json in
        json.member("identifier", String(repeating: "a", count: 32))
        json.member("app", "lights")
        json.member("displayName", "Kitchen")
        json.member("state", "authorized")
        json.member("status", "active")
        json.member("address", "C4:A1:00:00:00:01")
        json.member("addressType", "random")
        json.member("bond", "none")
        json.member("isIdentityDurable", true)
        json.member("isInSight", true)
      }
    }
    bench.reply("List", continues: true) { $0.member("isSynced", true) }
    #expect(Self.count(bench, "RecentHistory") == 1 && Self.count(bench, "Apps") == 0)
    bench.reply("RecentHistory", continues: true) { json in
      json.member("end", 20)
      json.member("sampleMilliseconds", 5000)
      json.member("reports", [5, 10])
    }
    for (address, levels) in [
      ("C4:A1:00:00:00:01", [-60, -61, 127]), ("C4:A1:00:00:00:02", [-50, -50, -50]),
    ] {
      bench.reply("RecentHistory", continues: true) { json in
        json.object("track") { json in
          json.member("app", "lights")
          json.member("item", "bulb")
          json.member("address", address)
          json.member("addressType", "random")
          json.member("levels", levels)
          json.member("silences", [20, 12_000, -1])
        }
      }
    }
    bench.reply("RecentHistory")
    let text = bench.sent(to: stream)
    #expect(text.contains(#""end":20.000000,"sampleMilliseconds":5000,"reports":[5,10]"#), "\(text)")
    #expect(text.contains(#""levels":[-60,0,0],"silenceMilliseconds":17000"#))
    #expect(!text.contains("C4:A1:00:00:00:02"), "what is no accessory is not sent")
    #expect(text.contains("event: edges"))
    bench.reply("Apps", continues: true) { json in
      json.object("app") { json in
        json.member("app", "lights")
        json.member("isConnected", false)
        json.member("accessories", 1)
      }
    }
    bench.reply("Apps")
    #expect(bench.sent(to: stream).contains(#""apps":[{"app":"lights","isConnected":false"#))
    #expect(Self.count(bench, "Items") == 1)
    for method in ["Items", "Sightings"] { bench.reply(method) }
    bench.now = .seconds(4)
    bench.step(.timePassed)
    #expect(Self.count(bench, "RecentHistory") == 0)
    bench.now = .seconds(5)
    bench.step(.timePassed)
    #expect(Self.count(bench, "RecentHistory") == 1)
  }

  @Test("An absent agent is said, with how long it has been away")
  func absence() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    bench.reply("List", continues: true) { $0.member("isSynced", true) }
    let list = bench.calls[0].id
    bench.step(.agentEnded(list, "the agent has ended"))
    let stream = bench.request("GET", "/events", cookie: cookie)
    bench.now = .seconds(5)
    bench.send(stream)
    let text = bench.response(to: stream)?.text ?? ""
    #expect(text.contains(#"event: agent"#))
    #expect(text.contains(#""isThere":false,"seconds":5,"reason":"the agent has ended""#))
  }

  @Test("Events of an earlier run of the agent are not kept: its clock was another")
  func newRun() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    for run in ["aa", "bb"] {
      bench.reply("Watch", continues: true) { json in
        json.member("epoch", run)
        json.member("sequence", 0)
        json.member("time", 1)
      }
      bench.reply("Watch", continues: true) { json in
        json.object("radioChanged") { json in
          json.member("time", 2)
          json.member("state", "on")
          json.member("detail", "run \(run)")
        }
      }
    }
    let stream = bench.request("GET", "/events", cookie: cookie)
    bench.send(stream)
    let text = bench.response(to: stream)?.text ?? ""
    #expect(text.contains("run bb"), "\(text)")
    #expect(!text.contains("run aa"))
  }

  @Test("One of two browsers makes the choice, and the other hears which")
  func choice() {
    var bench = PageBench()
    let (one, other) = (bench.logIn(.operator), bench.logIn(.operator))
    let body = #"{"request":"aa","candidate":1}"#
    let (first, second) = (
      bench.request("POST", "/choose", cookie: one, body: body),
      bench.request("POST", "/choose", cookie: other, body: body)
    )
    bench.send(first)
    bench.send(second)
    #expect(Self.count(bench, "Choose") == 2)
    bench.reply("Choose") { $0.member("displayName", "Lamp") }
    bench.refuse("Choose", "io.accessoryd.Operator.RequestClosed") { $0.member("request", "aa") }
    #expect(bench.response(to: first)?.text == "{\"displayName\":\"Lamp\"}\n")
    #expect(bench.response(to: second)?.status == .conflict)
    #expect(bench.response(to: second)?.text.contains("Browser was quicker") == true)
  }

  @Test("A refusal of the agent reaches the browser as a sentence")
  func refusal() {
    var bench = PageBench()
    let cookie = bench.logIn(.operator)
    let request = bench.request("POST", "/remove", cookie: cookie, body: #"{"accessory":"aa"}"#)
    bench.send(request)
    bench.refuse("Remove", "io.accessoryd.Operator.NotFound") { json in
      json.member("kind", "accessory")
      json.member("name", "aa")
      json.member("candidates", [String]())
    }
    #expect(bench.response(to: request)?.text == "{\"sentence\":\"The accessory is not there.\"}\n")
  }

  @Test("A browser gives an accessory another device, in a request of its own or in one that is open")
  func replacement() {
    var bench = PageBench()
    let cookie = bench.logIn(.operator)
    let own = bench.request("POST", "/replace", cookie: cookie, body: #"{"accessory":"aa"}"#)
    bench.send(own)
    #expect(bench.calls.last?.parameters["accessory"] == .string("aa"))
    bench.reply("Replace", continues: true) { $0.member("request", "bb") }
    #expect(bench.response(to: own)?.text == "{\"request\":\"bb\"}\n")
    let body = #"{"request":"cc","candidate":1,"replaces":"aa"}"#
    bench.send(bench.request("POST", "/choose", cookie: cookie, body: body))
    #expect(bench.calls.last?.parameters["replaces"] == .string("aa"))
  }

  @Test("A request that a browser opens stays open, and the first reply has it")
  func open() {
    var bench = PageBench()
    let cookie = bench.logIn(.operator)
    for number in 1...9 {
      let request = bench.request("POST", "/open", cookie: cookie, body: #"{"app":"lights"}"#)
      bench.send(request)
      if number == 9 {
        #expect(bench.response(to: request)?.status == .unavailable)
      } else if number == 1 {
        bench.reply("Open", continues: true) { $0.member("request", "aa") }
        #expect(bench.response(to: request)?.text == "{\"request\":\"aa\"}\n")
      }
    }
    #expect(Self.count(bench, "Open") == 8)
  }
}
