// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Captures
import Discovery
import Explanation
import HCI
public import Interfaces
import JSON
import Manifest
import Suggestions
import VarlinkClient

/// A text for the manifest that a browser has written.
public struct Draft: Sendable {
  /// The manifest's text with the change.
  public let text: [UInt8]
  /// What the agent holds now, to say what the change would find.
  public let devices: [DeviceLine]
  /// The browser that asks to keep it; nil when it is only checked.
  public let author: String?
}

extension PageServer {
  /// How long the agent listens to a device to explain it, and to suggest an item.
  static let explanationSeconds = 3
  static let suggestionSeconds = 6
  static let recordingSecondsMax = 60

  // MARK: - Why not?

  mutating func explain(_ request: WebRequest, _ body: JSONObjectReader) throws(JSONMemberError) {
    let device = try body.string("device")
    ask(.once(GatewayMethodName.items)) { server, answer in
      guard let replies = server.replies(answer, request) else { return }
      let items = replies.compactMap { try? ManifestItem(reply: JSONObjectReader($0.parameters)) }
      server.listen(to: device, seconds: Self.explanationSeconds, request) { server, heard in
        server.inspect(device, items, heard, request)
      }
    }
  }

  private mutating func inspect(
    _ device: String, _ items: [ManifestItem], _ heard: SuggestionSources, _ request: WebRequest
  ) {
    ask(.once(GatewayMethodName.inspect) { $0.member("device", device) }) { server, answer in
      guard let replies = server.replies(answer, request) else { return }
      var inspection = Inspection()
      for reply in replies { if let line = reply.line(InspectReply.self) { inspection.add(line) } }
      server.respond(request, Self.explanation(inspection, items, heard))
    }
  }

  /// The device, and what each item says about it; the item that comes nearest is first.
  private static func explanation(
    _ inspection: Inspection, _ items: [ManifestItem], _ heard: SuggestionSources
  ) -> WebResponse {
    .object { json in
      json.objects("devices", inspection.devices) { json, device in
        let observed = device.observed(in: heard)
        let explanations = items.flatMap(observed.explanations).enumerated().sorted {
          (-$0.element.nearness, $0.offset) < (-$1.element.nearness, $1.offset)
        }
        json.object("device", device.line)
        json.member("reversedIdentityKey", device.reversedIdentityKey)
        json.objects("items", explanations) { json, entry in
          entry.element.writeMembers(to: &json)
          json.member("why", entry.element.why)
        }
      }
    }
  }

  /// Lets the agent listen all the time, and collects what comes of a device.
  private mutating func listen(
    to device: String, seconds: Int, _ request: WebRequest,
    _ body: @escaping (inout PageServer, SuggestionSources) -> Void
  ) {
    ask(
      .once(GatewayMethodName.capture) { json in
        json.member("seconds", seconds)
        json.member("device", device)
      }
    ) { server, answer in
      guard let replies = server.replies(answer, request) else { return }
      let parts = replies.compactMap { $0.line(CaptureReply.self) }
      let addresses = (parts.flatMap { $0.addresses ?? [] } + [device]).compactMap(AddressText.bits)
      var heard = SuggestionSources(ofDevice: Set(addresses))
      heard.addPackets(parts.flatMap { $0.packets ?? [] })
      body(&server, heard)
    }
  }

  /// What is remembered of a device.
  mutating func sendHistory(_ request: WebRequest, _ body: JSONObjectReader) throws(JSONMemberError) {
    let device = try body.string("device")
    ask(.once(GatewayMethodName.recentHistory) { $0.member("device", device) }) { server, answer in
      guard let replies = server.replies(answer, request) else { return }
      server.respond(request, .object { HistoryBook(replies).writeMembers(to: &$0) })
    }
  }

  mutating func suggest(_ request: WebRequest, _ body: JSONObjectReader) throws(JSONMemberError) {
    let device = try body.string("device")
    listen(to: device, seconds: Self.suggestionSeconds, request) { server, heard in
      server.ask(.once(GatewayMethodName.sightings) { $0.member(GatewayInterface.includesAll, true) }) {
        server, answer in
        guard let replies = server.replies(answer, request) else { return }
        var sources = heard
        for line in replies.sightings { sources.addLast(line) }
        let suggestions = Suggestion.all(sources)
        server.respond(
          request,
          suggestions.isEmpty
            ? .refusal(.notFound, "It sends no company, no service and no name that stays the same.")
            : .object { $0.objects("suggestions", suggestions) })
      }
    }
  }

  /// The replies, unless the agent has refused: then the browser gets its reason.
  private mutating func replies(_ answer: AgentAnswer, _ request: WebRequest) -> [ReceivedReply]? {
    switch answer {
    case .success(let replies): return replies
    case .failure(let error):
      respond(request, .refusal(error.isNotInSight ? .notFound : .failed, error.sentence))
      return nil
    }
  }

  // MARK: - Lists

  mutating func sendRegistry(_ request: WebRequest) {
    ask(.once(OperatorMethodName.registry)) { server, answer in
      guard let replies = server.replies(answer, request) else { return }
      let removed = replies.compactMap { $0.line(RegistryLine.self)?.removed }
      server.respond(request, .object { $0.objects("removed", removed) })
    }
  }

  mutating func sendItems(_ request: WebRequest) {
    ask(.once(GatewayMethodName.items)) { server, answer in
      guard let replies = server.replies(answer, request) else { return }
      let items: [ItemLine] = replies.lines("item")
      server.respond(request, .object { $0.objects("items", items) })
    }
  }

  mutating func sendMetrics(_ request: WebRequest) {
    ask(.once(GatewayMethodName.metrics)) { server, answer in
      guard let replies = server.replies(answer, request) else { return }
      let text = replies.first.flatMap { try? JSONObjectReader($0.parameters).stringIfPresent("text") }
      server.respond(
        request,
        WebResponse(.good, type: "text/plain; version=0.0.4; charset=utf-8", Array((text ?? "").utf8)))
    }
  }

  // MARK: - Drafts

  mutating func checkDraft(
    _ request: WebRequest, _ body: JSONObjectReader, keeps author: Session?
  ) throws(JSONMemberError) {
    let text = Array(try body.string("text").utf8)
    ask(.once(GatewayMethodName.sightings) { $0.member(GatewayInterface.includesAll, true) }) {
      server, answer in
      // A draft can be checked while the agent is away.
      let devices = (try? answer.get().sightings) ?? []
      server.effects.append(.draft(request.id, Draft(text: text, devices: devices, author: author?.name)))
    }
  }

  // MARK: - Recording

  /// Streams a btsnoop file, as a download.
  mutating func record(
    _ request: WebRequest, _ body: JSONObjectReader, _ session: Session
  ) throws(JSONMemberError) {
    let seconds: Int = try body.integer("seconds")
    guard (1...Self.recordingSecondsMax).contains(seconds) else { throw body.error("seconds", .unknownValue) }
    var hasBegun = false
    recordings[request.id] = ask(
      .once(GatewayMethodName.capture) { $0.member("seconds", seconds) },
      onReply: { server, reply in
        guard let part = reply.line(CaptureReply.self) else { return }
        if !hasBegun {
          hasBegun = true
          server.beginRecording(request, session)
        }
        let records = (part.packets ?? []).flatMap(\.btsnoopRecord)
        if !records.isEmpty { server.effects.append(.send(request.id, records)) }
      },
      { server, answer in
        server.recordings[request.id] = nil
        if hasBegun { return server.effects.append(.endStream(request.id)) }
        _ = server.replies(answer, request)
      })
  }

  private mutating func beginRecording(_ request: WebRequest, _ session: Session) {
    effects.append(.log(.changed(name: session.name, what: "Capture", failure: nil)))
    effects.append(
      .beginStream(
        request.id,
        WebResponse(
          .good, type: "application/octet-stream", Btsnoop.file,
          head: "Content-Disposition: attachment; filename=\"gateway.btsnoop\"\n")))
  }

  mutating func endRecording(_ id: WebRequestID) {
    if let call = recordings.removeValue(forKey: id) { withdraw(call) }
  }
}

extension Btsnoop {
  /// The beginning of a file.
  fileprivate static var file: [UInt8] {
    let header = header(.h4)
    return header.indices.map { header[$0] }
  }
}

extension CaptureReply.Packet {
  fileprivate var btsnoopRecord: [UInt8] {
    guard let kind = packet.first.flatMap(PacketKind.init) else { return [] }
    let header = Btsnoop.recordHeader(
      byteCount: packet.count,
      flags: Btsnoop.flags(.h4, kind: kind, isReceived: direction == .received),
      time: Instant(microseconds: time.microseconds))
    return header.indices.map { header[$0] } + packet
  }
}
