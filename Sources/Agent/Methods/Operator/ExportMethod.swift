// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import RegistryFormat
import Setup
import Varlink

/// `Export`: the registry as it is when the call comes, as lines.
///
/// Changes that are made while a client reads are not in the lines. A registry that was never read is refused, because
/// the lines would seem to say that it is empty.
enum ExportMethod: OperatorMethod {
  static let name = OperatorMethodName.export

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let includesKeys = (try? call.parameters.bool("includesKeys")) ?? false
    guard !includesKeys || call.client.rights.mayHandleKeys else {
      call.agent.counters.clients.permissionsDenied &+= 1
      return .refusal(Message.error(ServiceError.keysDenied(call.client.peer.uid)))
    }
    try call.agent.setupCore.requireReadableRegistry()
    if includesKeys { call.agent.enqueue(.log(.keysExported(user: call.client.peer.uid))) }
    let export = RegistryExport(call.agent.setupCore.registry, includesKeys: includesKeys)
    return .stream(ExportStream(lines: export))
  }
}

/// One line a reply.
private struct ExportStream: ReplyStream {
  var lines: RegistryExport

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard let line = lines.next() else { return .end(Message.reply()) }
    return .reply(Message.reply(continues: true) { $0.member("line", line) })
  }
}

extension ServiceError {
  /// A member of the group accessory may choose accessories, and not take their keys away.
  static func keysDenied(_ user: UInt32) -> Self {
    .permissionDenied(
      reason: "user \(user) may not handle the keys of bonds",
      cure: "do it as root or with the agent's own account, or leave the keys out")
  }
}
