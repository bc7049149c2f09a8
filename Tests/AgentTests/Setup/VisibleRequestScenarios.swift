// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Setup
import Testing

@Suite("Open requests are visible without a picker", .overEveryTransport)
struct VisibleRequestScenarios {
  private static let manifest = GatewayManifest.lights { _ in }.with {
    $0.gateway.programs[.request] = "/bin/true"
  }

  /// The requests as status lists them, without their identifiers and ages.
  private func requests(_ scenario: SetupScenario) throws -> [String] {
    let status = try #require(scenario.status())
    guard case .array(let requests)? = status["openRequests"] else { return [] }
    #expect(status.integer("requests") == Int64(requests.count))
    return requests.compactMap { request in
      guard case .object(let request) = request, case .array(let about)? = request["about"] else {
        return nil
      }
      let subjects = about.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return "\(request.text("kind") ?? "") \(subjects) \(request.integer("candidates") ?? -1): "
        + (request.text("sentence") ?? "")
    }
  }

  private func signals(_ scenario: SetupScenario) -> [String] {
    scenario.harness.signals.map { "\($0[0]) \($0[2])" }
  }

  @Test("Status and its program say which app asks for what, as long as the request is open")
  func setup() throws {
    let (scenario, app, anna) = SetupScenario.choosing(Self.manifest)
    #expect(try requests(scenario) == [#"setup ["bulb"] 1: lights wants to set up "bulb""#])
    let signal = try #require(scenario.harness.signals.first)
    #expect(scenario.harness.signals.count == 1 && signal[0] == "setup" && signal[2] == "lights")
    let status = try #require(scenario.status())
    guard case .array(let open)? = status["openRequests"], case .object(let request)? = open.first else {
      throw CancellationError()
    }
    #expect(request.text("request") == signal[1])
    anna.choose(1, wait: 11)
    #expect(try requests(scenario) == [])
    app.call("RenameAccessory", about: app.accessory, wait: 1)
    #expect(try requests(scenario) == [#"rename ["Lumo bulb"] 0: lights wants to rename "Lumo bulb""#])
    #expect(signals(scenario) == ["setup lights", "rename lights"])
  }

  @Test("An app that asks again and again starts the program once in 10 s, then for what is still open")
  func pace() throws {
    let (scenario, app, _) = SetupScenario.choosing(Self.manifest)
    for _ in 0..<3 {
      app.call("CancelPicker")
      app.call("ShowPicker", wait: 1)
    }
    #expect(signals(scenario) == ["setup lights"])
    #expect(try requests(scenario).count == 1)
    scenario.run(seconds: 8)
    #expect(signals(scenario) == ["setup lights", "setup lights"])
    app.call("CancelPicker")
    app.call("ShowPicker")
    app.call("CancelPicker", wait: 11)
    #expect(signals(scenario) == ["setup lights", "setup lights"])
  }

  @Test("What an operator opens is listed, and starts no program")
  func onBehalf() throws {
    let scenario = SetupScenario(
      Self.manifest.with { $0.apps[0].items[0].setupOptions = .confirmAuthorization })
    let (_, anna) = (scenario.app(), scenario.watcher())
    anna.call("Open", #""app":"lights""#, wait: 1)
    let sentence = #"an operator wants to set up "bulb" for lights"#
    #expect(try requests(scenario) == [#"setup ["bulb"] 1: \#(sentence)"#])
    anna.choose(wait: 1)
    #expect(
      try requests(scenario) == [
        #"setup ["bulb"] 0: \#(sentence), and lights has to finish the authorization"#
      ])
    #expect(signals(scenario) == [])
  }

  @Test("Without a program in the manifest nothing is run; the log has an app's request once in ten seconds")
  func log() throws {
    let harness = AgentHarness(.lights { _ in })
    let scenario = SetupScenario(harness)
    let app = scenario.app()
    for _ in 0..<2 {
      app.call("ShowPicker")
      app.call("CancelPicker")
    }
    scenario.run(seconds: 21)
    app.call("ShowPicker")
    #expect(harness.signals.isEmpty)
    let sentences = harness.notices.compactMap { notice in
      if case .setup(.requestOpened(_, let sentence)) = notice { sentence } else { nil }
    }
    #expect(sentences == Array(repeating: #"lights wants to set up "bulb""#, count: 2))
  }
}
