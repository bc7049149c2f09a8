// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Manifest
import Registry
import Setup
import Varlink

/// `Registry`: whether the registry is open, the devices that were removed from it, and former identifiers.
enum RegistryMethod: OperatorMethod {
  static let name = OperatorMethodName.registry

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome { .stream(RegistryStream()) }
}

/// The registry's state, then one removed device a reply, then one former identifier a reply.
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
    let (tombstones, formers) = (setupCore.registry.tombstones, setupCore.registry.formers)
    defer { index += 1 }
    guard index < tombstones.count else {
      guard index - tombstones.count < formers.count else { return .end(Message.reply()) }
      let former = formers[index - tombstones.count]
      return reply(
        .former(
          app: former.app, bluetoothIdentifier: former.bluetoothIdentifier.text,
          device: AddressText.text(of: former.address.bits)))
    }
    let tombstone = tombstones[index]
    return reply(.removed(app: tombstone.app, item: tombstone.item, device: tombstone.identity.text))
  }

  private func reply(_ line: RegistryLine) -> StreamStep {
    .reply(Message.line(line))
  }
}
