// SPDX-License-Identifier: GPL-3.0-or-later

import Testing
import WebPage

@Suite("Login to the page")
struct LoginTests {
  private static func status(_ bench: inout PageBench, code: String) -> WebResponse.Status? {
    let request = bench.request("POST", "/login", body: #"{"code":"\#(code)"}"#)
    bench.send(request)
    return bench.response(to: request)?.status
  }

  @Test("A code is good once")
  func once() {
    var bench = PageBench()
    let code = bench.code(.operator)
    #expect(code.utf8.count == 32)
    let first = Self.status(&bench, code: code)
    let second = Self.status(&bench, code: code)
    #expect(first == .good)
    #expect(second == .unauthorized)
  }

  @Test("A code is good for two minutes")
  func late() {
    var bench = PageBench()
    let (early, late) = (bench.code(.operator), bench.code(.operator))
    bench.now = .seconds(119)
    let inTime = Self.status(&bench, code: early)
    bench.now = .seconds(120)
    let tooLate = Self.status(&bench, code: late)
    #expect(inTime == .good)
    #expect(tooLate == .unauthorized)
  }

  @Test("After ten wrong codes within a minute no code is looked at")
  func pause() {
    var bench = PageBench()
    let code = bench.code(.operator)
    for _ in 0..<10 {
      let status = Self.status(&bench, code: "0")
      #expect(status == .unauthorized)
    }
    let paused = Self.status(&bench, code: code)
    #expect(paused == .tooMany)
    bench.now = .seconds(60)
    let later = Self.status(&bench, code: code)
    #expect(later == .good)
  }

  @Test("A session lasts twelve hours, and its streams end with it")
  func life() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    let stream = bench.request("GET", "/events", cookie: cookie)
    bench.send(stream)
    #expect(bench.response(to: stream)?.status == .good)
    bench.now = .seconds(12 * 3600)
    let before = bench.effects.count
    bench.step(.timePassed)
    let hasEnded = bench.effects[before...].contains {
      if case .endStream(stream.id) = $0 { true } else { false }
    }
    #expect(hasEnded)
    let request = bench.request("GET", "/registry", cookie: cookie)
    bench.send(request)
    #expect(bench.response(to: request)?.status == .unauthorized)
  }

  @Test("A browser that is revoked is logged out at once")
  func revoked() {
    var bench = PageBench()
    let (cookie, other) = (bench.logIn(.operator), bench.logIn(.operator))
    let stream = bench.request("GET", "/events", cookie: cookie)
    bench.send(stream)
    bench.step(.command(.list, CommandID(2)))
    guard case .answer(_, .browsers(let browsers))? = bench.effects.last else {
      Issue.record("no list"); return
    }
    #expect(browsers.map(\.name) == ["Browser", "Browser 2"])
    bench.step(.command(.revoke("Browser"), CommandID(3)))
    let first = bench.request("GET", "/registry", cookie: cookie)
    let second = bench.request("GET", "/registry", cookie: other)
    bench.send(first)
    bench.send(second)
    #expect(bench.response(to: first)?.status == .unauthorized)
    #expect(bench.response(to: second) == nil)
    bench.step(.command(.revoke("Browser"), CommandID(4)))
    guard case .answer(_, .revoked(let isRevoked))? = bench.effects.last else {
      Issue.record("no answer"); return
    }
    #expect(!isRevoked)
  }

  @Test("The cookie is for this page alone, and scripts do not see it")
  func cookie() {
    var bench = PageBench()
    var request = bench.request("POST", "/login", body: #"{"code":"\#(bench.code(.viewer))"}"#)
    (request.isSecure, request.origin) = (true, "https://127.0.0.1:8484")
    bench.send(request)
    let head = bench.response(to: request)?.head ?? ""
    #expect(head.contains("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure\n"))
    // A proxy speaks TLS with the browser.
    var proxied = bench.request("POST", "/login", body: #"{"code":"\#(bench.code(.viewer))"}"#)
    proxied.origin = "https://127.0.0.1:8484"
    bench.send(proxied)
    #expect(bench.response(to: proxied)?.head.contains("; Secure\n") == true)
  }
}
