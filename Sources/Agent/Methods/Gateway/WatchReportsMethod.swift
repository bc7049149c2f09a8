// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Discovery
import HCI
import Interfaces
import JSON
import Varlink

/// `WatchReports`: the reports of the radio as they are received, over a socket beside the reply.
enum WatchReportsMethod: GatewayMethod {
  static let name = GatewayMethodName.watchReports
  static let bridgeRight = BridgeRight.always

  /// How long a report may wait for others, unless the call says it.
  private static let batchMilliseconds: Int64 = 100

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    guard let right = call.client.rights.reports else {
      throw GatewayError(message: Message.error(ServiceError.permissionDenied()))
    }
    let forward = call.parameters.wordIfAny("forward").flatMap(ReportForward.init)
    if let forward, !right.forward.covers(forward) { throw .forwardsLess(right.forward) }
    let apps = call.parameters["apps"] == nil ? nil : (try? call.parameters.strings("apps")).map(Set.init)
    guard
      let milliseconds = try? call.parameters.integerIfPresent("batchMilliseconds") ?? batchMilliseconds,
      (0...1000).contains(milliseconds)
    else { throw .invalidParameter("batchMilliseconds") }
    let agent = call.agent
    if right.reader == .bridge {
      let held = agent.reports.streams.count { stream in
        stream.flatMap { agent.clients[$0.client] }?.peer.owner == call.client.peer.owner
      }
      guard held < ReportStreams.bridgeStreamsMax else {
        throw agent.refuseAsBusy(limit: ReportStreams.bridgeStreamsMax)
      }
    }
    guard
      let id = agent.reports.insert(
        client: call.client.id, right.reader, forward, apps: apps,
        patienceMilliseconds: milliseconds, &agent.dataPath.pipeline.reports)
    else { throw agent.refuseAsBusy(limit: ReportBatches.streamsMax) }
    agent.enqueue(.openReports(id))
    return .stream(OpeningReports(id: id))
  }
}

/// Waits for the sockets of a stream.
private struct OpeningReports: ReplyStream {
  let id: ReportStreamID

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch agent.reports[id]?.state {
    case .opening: return .wait
    case .failed(let reason):
      agent.endReports(id)
      return .end(GatewayError.socketMissing(reason).message)
    case nil: return .end(GatewayError.socketMissing("the stream has ended").message)
    case .ready, .full:
      let line = WatchReportsReply(
        epoch: agent.epochText, time: Int(agent.radioTime.microseconds),
        adapters: [
          AdapterLine(
            index: 0, source: GatewayError.cut(agent.configuration.radioSource), address: agent.radioAddress)
        ])
      return .endPassing(.reports(id), Message.reply { line.writeMembers(to: &$0) })
    }
  }

  func release(_ agent: AgentCore) {
    // The client has left before it had the socket.
    if agent.reports[id]?.state == .opening { agent.endReports(id) }
  }
}
