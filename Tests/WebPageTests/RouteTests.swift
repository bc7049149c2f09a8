// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Testing
import WebPage

@Suite("The page's routes")
struct RouteTests {
  private enum Browser: CaseIterable {
    case unknown, viewer, `operator`
  }

  private static let methods = ["GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "get"]

  /// The right status of a request that names the host, comes from the page and is in JSON; nil for one that is served.
  private static func refusal(_ method: String, _ path: String, _ browser: Browser) -> WebResponse.Status? {
    guard let route = Route.allCases.first(where: { $0.path == path }) else { return .notFound }
    // Files have a head, too.
    if method == "HEAD", ["/", "/style.css", "/app.js", "/screens.js"].contains(path) { return nil }
    guard route.method == method else { return .otherMethod }
    switch path {
    case "/", "/style.css", "/app.js", "/screens.js", "/login": return nil
    case "/metrics": return .unauthorized
    case "/logout", "/events", "/events/devices", "/manifest", "/registry", "/items", "/explain", "/history",
      "/suggest":
      return browser == .unknown ? .unauthorized : nil
    default: return browser == .unknown ? .unauthorized : browser == .viewer ? .forbidden : nil
    }
  }

  /// Whether a request was refused before a route had it.
  private static func refusedStatus(_ response: WebResponse?) -> WebResponse.Status? {
    // What is served may be malformed for its route, or wait for the agent.
    guard let status = response?.status, status != .good, status != .malformed else { return nil }
    return status
  }

  @Test("Every path with every method is what the table says, for every role")
  func table() {
    let paths =
      Set(Route.allCases.map { String($0.path) }).sorted() + ["/nothing", "//", "/app.js/", "", "/EVENTS"]
    for browser in Browser.allCases {
      for path in paths {
        for method in Self.methods {
          var bench = PageBench()
          let cookie =
            switch browser {
            case .unknown: "accessory_web=00"
            case .viewer: bench.logIn(.viewer)
            case .operator: bench.logIn(.operator)
            }
          let request = bench.request(method, path, cookie: cookie)
          bench.send(request)
          var expected = Self.refusal(method, path, browser)
          // The body has no code.
          if path == "/login", method == "POST" { expected = nil }
          let status = Self.refusedStatus(bench.response(to: request))
          #expect(status == expected, "\(browser) \(method) \(path)")
        }
      }
    }
  }

  @Test("A request that names no host of the page is turned away before anything else")
  func hosts() {
    let good = [
      "127.0.0.1:8484", "gateway.example", "GATEWAY.example", "192.168.1.2:8443", "[fd00::1]:8443",
      "[FD00::A]:8443",
    ]
    let bad = [
      "127.0.0.1", "evil.example", "127.0.0.1:8484.evil.example", "gateway.example:80", "192.168.1.2:8444",
      "192.168.1.2.evil:8443", "192.168.1:8443", "evil.example:8443", "[evil]:8443", "*:8444", ":8443", "",
      nil,
    ]
    for host in good + bad {
      for route in Route.allCases {
        var bench = PageBench(metricsToken: "0123456789abcdef")
        let cookie = bench.logIn(.operator)
        var request = bench.request(String(route.method), String(route.path), cookie: cookie)
        (request.host, request.authorization) = (host, "Bearer 0123456789abcdef")
        if let host { request.origin = "http://\(host.lowercased())" }
        bench.send(request)
        let isRefused = bench.response(to: request)?.status == .otherHost
        #expect(isRefused == bad.contains(host), "\(route) at \(host ?? "no host")")
      }
    }
  }

  @Test("A change is made only by the page itself, in JSON")
  func origins() {
    let origins: [(String?, Bool)] = [
      ("http://127.0.0.1:8484", true), ("https://127.0.0.1:8484", true), ("HTTP://127.0.0.1:8484", true),
      ("http://127.0.0.1", false), ("http://evil.example", false), ("null", false), (nil, false),
    ]
    let types: [(String?, Bool)] = [
      ("application/json", true), ("text/plain", false), ("application/x-www-form-urlencoded", false),
      ("application/json; charset=utf-8", false), (nil, false),
    ]
    for route in Route.allCases where route.method == "POST" {
      for (origin, isOwn) in origins {
        for (type, isJSON) in types {
          var bench = PageBench()
          let cookie = bench.logIn(.operator)
          var request = bench.request("POST", String(route.path), cookie: cookie)
          (request.origin, request.contentType) = (origin, type)
          let effects = bench.send(request)
          let isRefused = bench.response(to: request)?.status == .forbidden
          #expect(isRefused == !(isOwn && isJSON), "\(route) from \(origin ?? "-") as \(type ?? "-")")
          #expect(!isRefused || effects.count == 1, "nothing is done")
        }
      }
    }
  }

  @Test("A page elsewhere cannot read a stream, and TLS wants an origin of TLS")
  func readers() {
    var bench = PageBench()
    let cookie = bench.logIn(.viewer)
    var request = bench.request("GET", "/events", cookie: cookie)
    request.origin = "http://evil.example"
    bench.send(request)
    #expect(bench.response(to: request)?.status == .forbidden)
    var secure = bench.request("POST", "/logout", cookie: cookie)
    secure.isSecure = true
    bench.send(secure)
    #expect(bench.response(to: secure)?.status == .forbidden)
  }

  @Test("A request that is malformed or too long is refused")
  func malformed() {
    var bench = PageBench()
    let cookie = bench.logIn(.operator)
    var request = bench.request("GET", "/", cookie: cookie)
    request.isMalformed = true
    bench.send(request)
    #expect(bench.response(to: request)?.status == .malformed)
    var long = bench.request("POST", "/check", cookie: cookie)
    long.isTooLong = true
    bench.send(long)
    #expect(bench.response(to: long)?.status == .tooLong)
    for body in ["", "[]", "null", "{", #"{"request":1}"#, "\u{FF}"] {
      let request = bench.request("POST", "/choose", cookie: cookie, body: body)
      bench.send(request)
      #expect(bench.response(to: request)?.status == .malformed)
    }
  }

  @Test("Metrics need their token, or the UNIX socket")
  func metrics() {
    for (token, isLocal, isServed) in [
      ("Bearer 0123456789abcdef", false, true), ("Bearer 0123456789abcdeg", false, false), ("", false, false),
      ("0123456789abcdef", false, false), ("", true, true),
    ] {
      var bench = PageBench(metricsToken: "0123456789abcdef")
      var request = bench.request("GET", "/metrics")
      (request.authorization, request.isLocal) = (token, isLocal)
      bench.send(request)
      #expect((bench.response(to: request) == nil) == isServed)
      bench.reply("Metrics") { $0.member("text", "a 1\n") }
      #expect((bench.response(to: request)?.text == "a 1\n") == isServed)
    }
  }

  @Test("Every reply says what the page may load")
  func headers() {
    var bench = PageBench()
    for path in ["/registry", "/nothing"] {
      let request = bench.request("GET", path)
      bench.send(request)
      let head = bench.response(to: request)?.head ?? ""
      #expect(head.contains("Content-Security-Policy: default-src 'none';"))
      #expect(head.contains("frame-ancestors 'none'"))
      #expect(head.contains("X-Content-Type-Options: nosniff\nX-Frame-Options: DENY\nReferrer"))
      #expect(head.contains("Cache-Control: no-store\n"))
    }
    let framed = WebResponse(.good, type: "text/html", framedBy: "https://home.example").head
    #expect(
      framed.contains("frame-ancestors https://home.example\nX-Content-Type-Options: nosniff\nReferrer"))
  }
}
