// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Registry
import Setup
import Varlink

/// `Registry`: whether the registry is open, and the devices that were removed from it.
enum RegistryMethod: OperatorMethod {
  static let name = OperatorMethodName.registry

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome { .stream(RegistryStream()) }
}

/// The registry's state, then one removed device a reply.
private struct RegistryStream: ReplyStream {
  private var isGreeted = false
  private var index = 0

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    let setupCore = agent.setupCore
    guard isGreeted else {
      isGreeted = true
      let state: RegistryLine.State =
        setupCore.isOpening ? .opening : setupCore.degradation == nil ? .open : .degraded
      return reply(
        .state(
          state, sentence: setupCore.degradation, accessoryCount: Int64(setupCore.registry.accessories.count))
      )
    }
    let tombstones = setupCore.registry.tombstones
    guard index < tombstones.count else { return .end(Message.reply()) }
    defer { index += 1 }
    let tombstone = tombstones[index]
    return reply(.removed(app: tombstone.app, item: tombstone.item, device: tombstone.identity.text))
  }

  private func reply(_ line: RegistryLine) -> StreamStep {
    .reply(Message.line(line))
  }
}
