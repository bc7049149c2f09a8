// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import CPeer
import Manifest
import Testing
import VirtualRadio

/// How what people say reaches the agent of a scenario.
enum ScenarioTransport: String {
  /// Bytes are handed to the agent itself.
  case memory
  /// Through the running loop's listening socket, by the kernel's word for who they are.
  case socket

  @TaskLocal static var current = ScenarioTransport.memory

  /// Whether somebody can be at a socket as whom a scenario wants: only root changes its user.
  static let canBeSocket = peer_act_as(1000) == 0 && peer_act_as(0) == 0

  func harness(
    _ manifest: GatewayManifest, scene: [SceneDevice]?, access: AccessList, registry: StandInRegistryFile,
    run: UInt64
  ) -> any ScenarioHarness {
    switch self {
    case .memory: AgentHarness(manifest, scene: scene, access: access, registry: registry, run: run)
    case .socket: SocketHarness(manifest, scene: scene, access: access, registry: registry, run: run)
    }
  }
}

/// Every scenario of a suite happens twice, once for each transport, and has to go the same way.
struct OverEveryTransport: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing scenario: @Sendable () async throws -> Void
  ) async throws {
    try await scenario()
    guard ScenarioTransport.canBeSocket, !test.traits.contains(where: { $0 is InMemoryAlone }) else { return }
    let toldApart = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      issue.comments.append("this happened over the socket")
      return issue
    }
    try await toldApart.provideScope(for: test, testCase: testCase) {
      try await ScenarioTransport.$current.withValue(.socket) { try await scenario() }
    }
  }
}

/// A scenario that cannot go the same way over the socket.
struct InMemoryAlone: TestTrait {
  let reason: String
}

extension Trait where Self == InMemoryAlone {
  static func inMemoryAlone(_ reason: String) -> Self { InMemoryAlone(reason: reason) }
}

extension Trait where Self == OverEveryTransport {
  static var overEveryTransport: Self { OverEveryTransport() }
}

@Suite("How scenarios are told")
struct ScenarioTransportTests {
  @Test(
    "They happen over the real socket too",
    .enabled(if: ScenarioTransport.canBeSocket, "only root can connect as other users"), .overSocket)
  func socket() {
    let scenario = SetupScenario()
    #expect(scenario.harness is SocketHarness)
    scenario.app()
    #expect(scenario.text == "0.0 lights: activated")
  }
}

/// One test over the socket alone.
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
