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
    try call.agent.setupCore.requireReadableRegistry()
    return .stream(ExportStream(lines: RegistryExport(call.agent.setupCore.registry)))
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
