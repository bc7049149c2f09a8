// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import JSON
import TestSupport
import Varlink
import VarlinkClient

extension AgentHarness {
  /// The states that the radio has taken, in order.
  var radioStates: [RadioLine.State] {
    notices.compactMap { if case .radio(let state, _, _) = $0 { state } else { nil } }
  }

  /// Calls a method of the gateway's interface and returns the replies of this turn.
  @discardableResult
  func call(
    _ method: String, by client: HarnessClient, more: Bool = false,
    _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [ReceivedReply] {
    let before = client.replies.count
    send(Message.call("io.accessoryd.Gateway.\(method)", more: more, parameters), by: client)
    return Array(client.replies.dropFirst(before))
  }
}
