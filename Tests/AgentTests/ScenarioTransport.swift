// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import CPeer
import Manifest
import Testing
import VirtualRadio

/// How calls reach the agent of a scenario.
enum ScenarioTransport: String {
  /// The harness hands bytes to the agent.
  case memory
  /// Clients connect to the listening socket of the running loop, and the kernel reports their UIDs.
  case socket

  @TaskLocal static var current = ScenarioTransport.memory

  /// Whether clients can connect as any user: only root may change its user.
  static let canBeSocket = peer_act_as(1000) == 0 && peer_act_as(0) == 0

  func makeHarness(
    _ manifest: GatewayManifest, scene: [SceneDevice]?, access: AccessList, registry: StandInRegistryFile,
    run: UInt64
  ) -> any ScenarioHarness {
    switch self {
    case .memory: AgentHarness(manifest, scene: scene, access: access, registry: registry, run: run)
    case .socket: SocketHarness(manifest, scene: scene, access: access, registry: registry, run: run)
    }
  }
}

/// Runs every scenario of a suite twice, once with each transport, with the same expectations.
struct OverEveryTransport: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing scenario: @Sendable () async throws -> Void
  ) async throws {
    try await scenario()
    guard ScenarioTransport.canBeSocket, !test.traits.contains(where: { $0 is InMemoryAlone }) else { return }
    let markingIssues = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      issue.comments.append("this happened over the socket")
      return issue
    }
    try await markingIssues.provideScope(for: test, testCase: testCase) {
      try await ScenarioTransport.$current.withValue(.socket) { try await scenario() }
    }
  }
}

/// A scenario that takes another course over the socket, and runs only in memory.
struct InMemoryAlone: TestTrait {
  let reason: String
}

extension Trait where Self == InMemoryAlone {
  static func inMemoryAlone(_ reason: String) -> Self { InMemoryAlone(reason: reason) }
}

extension Trait where Self == OverEveryTransport {
  static var overEveryTransport: Self { OverEveryTransport() }
}

@Suite("Transports of scenarios")
struct ScenarioTransportTests {
  @Test(
    "Scenarios run over the real socket too",
    .enabled(if: ScenarioTransport.canBeSocket, "only root can connect as other users"), .overSocket)
  func socket() {
    let scenario = SetupScenario()
    #expect(scenario.harness is SocketHarness)
    scenario.app()
    #expect(scenario.text == "0.0 lights: activated")
  }
}

/// Runs a test over the socket only.
struct OverSocket: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing scenario: @Sendable () async throws -> Void
  ) async throws {
    try await ScenarioTransport.$current.withValue(.socket) { try await scenario() }
  }
}

extension Trait where Self == OverSocket {
  static var overSocket: Self { OverSocket() }
}
