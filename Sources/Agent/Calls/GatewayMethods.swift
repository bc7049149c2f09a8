// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import JSON
import Manifest
import Varlink
import Wireless

extension AgentCore {
  /// Starts a call of `io.accessoryd.Gateway`. None of them needs the registry.
  func start(_ method: GatewayMethodName, _ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let (parameters, client) = (call.parameters, call.client)
    let includesAll = parameters.isSet(GatewayInterface.includesAll)
    switch method {
    case .status: return .reply(status(for: client.rights))
    case .metrics: return .reply(Message.reply { $0.member("text", metricsText) })
    case .sightings: return .stream(SightingsStream(all: includesAll))
    case .networks:
      return .stream(NetworkStream(names: networks.strongestByName.map(\.name)[...], all: includesAll))
    case .watch:
      return try WatchStream.start(
        parameters, feeds, produced: dataPath.pipeline.events.produced, at: radioTime,
        bridge: client.rights.filteringBridge)
    case .items: return .stream(ItemStream())
    case .apps: return .stream(AppStream())
    case .recentHistory:
      let device = parameters["device"] == nil ? nil : try parameters.device().bits
      let stream = HistoryStream(history, of: device)
      return .stream(stream, first: Message.line(stream.start))
    case .inspect:
      let stream = try InspectionStream(parameters, dataPath)
      let reason = stream.item.flatMap { reasonNothingIsFoundNow(by: dataPath.items[$0]) }
      guard let reason else { return .stream(stream) }
      return .reply(Message.reply { $0.member("reasonNothingIsFound", reason) })
    case .capture: return try capture(parameters)
    case .watchReports: return try openReports(call)
    case .scanActively:
      guard let seconds = try? parameters.integerIfPresent("seconds"), (1...60).contains(seconds) else {
        throw .invalidParameter("seconds")
      }
      setActiveScan(true)
      return .stream(ActiveScanStream(end: now.advanced(milliseconds: Int64(seconds) * 1000)))
    case .reload:
      requestReload(by: client.id)
      return .stream(ReloadStream())
    }
  }

  private func capture(_ parameters: Parameters) throws(GatewayError) -> CallOutcome {
    guard let seconds = try? parameters.integerIfPresent("seconds") ?? 0, (0...60).contains(seconds)
    else {
      throw .invalidParameter("seconds")
    }
    let device = parameters["device"] == nil ? nil : try parameters.device().bits
    guard let sequence = packetTap.attach() else { throw refuseAsBusy(limit: PacketTap.readersMax) }
    filter.set(.capture, true)
    if seconds > 0 { setCaptureListens(true) }
    let end = seconds > 0 ? now.advanced(milliseconds: Int64(seconds) * 1000) : nil
    let reply = CaptureReply(
      time: Seconds(microseconds: radioTime.microseconds),
      addresses: device.map { dataPath.currentAddresses(of: $0).sorted().map(AddressText.text) })
    return .stream(CaptureStream(sequence: sequence, end: end), first: Message.line(reply))
  }

  /// Why an item finds nothing at present; the sentence lacks its subject.
  private func reasonNothingIsFoundNow(by entry: ManifestItem) -> String? {
    if let reason = reasonNothingIsFound(by: entry) { return reason.sentence }
    guard entry.item.descriptor.isFoundByNetwork, networks.strongestByName.isEmpty else { return nil }
    return "finds nothing now: \(wirelessLine?.problem ?? Gateway.reasonNoNetworkIsKnown)"
  }
}

/// Has the radio ask for scan responses until its end.
struct ActiveScanStream: ReplyStream {
  let end: Instant?

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    isOver(at: agent.now) ? .end(Message.reply()) : .wait
  }

  func release(_ agent: AgentCore) { agent.setActiveScan(false) }
}

/// Waits until the reading of the manifest ends the call.
private struct ReloadStream: ReplyStream {
  mutating func nextReply(_ agent: AgentCore) -> StreamStep { .wait }
}
