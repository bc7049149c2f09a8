// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Discovery
import HCI
import Interfaces
import JSON
import Varlink

/// `WatchReports`: the reports of the radio as they are received, over a socket beside the reply. Waits for that socket.
struct OpeningReports: ReplyStream {
  let id: ReportStreamID

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch agent.reports[id]?.state {
    case .opening: return .wait
    case .failed(let reason):
      agent.endReports(id)
      return .end(GatewayError.socketMissing(reason).message)
    case nil: return .end(GatewayError.socketMissing("the stream has ended").message)
    case .ready, .full: return .endPassing(.reports(id), agent.reportsReply)
    }
  }

  func release(_ agent: AgentCore) {
    // The client has left before it had the socket.
    if agent.reports[id]?.state == .opening { agent.endReports(id) }
  }
}
