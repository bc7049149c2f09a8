// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON

/// An open page, at the end of its stream.
struct Tab {
  let session: Session
  /// It shows a screen with the devices in sight.
  let wantsDevices: Bool
}

extension PageServer {
  mutating func openTab(_ request: WebRequest, _ session: Session, wantsDevices: Bool) {
    guard tabs.count < Self.tabsMax else {
      // A browser does not show a page the body of an error, and tries a stream that ends again after some seconds.
      let refusal = StreamMessage.event("refused") {
        $0.member("sentence", "Too many pages are open. Close one of them.")
      }
      return respond(request, WebResponse(.good, type: "text/event-stream", refusal))
    }
    tabs[request.id] = Tab(session: session, wantsDevices: wantsDevices)
    declareCapabilities()
    effects.append(
      .beginStream(
        request.id,
        WebResponse(
          .good, type: "text/event-stream", snapshot(for: session), head: "X-Accel-Buffering: no\n")))
  }

  /// Everything that is known, for a page that has just been opened.
  private func snapshot(for session: Session) -> [UInt8] {
    let you = StreamMessage.event("you") { json in
      json.member("name", session.name)
      json.member("role", session.role)
      json.member("version", ProjectVersion.text)
    }
    var messages = [you, presence]
    if let status { messages.append(StreamMessage.event("status") { status.writeMembers(to: &$0) }) }
    messages += [accessoriesMessage, requests.message, historyMessage, history.edgesMessage, appsMessage]
    messages.append(itemsMessage)
    messages.append(events.beginning)
    messages += events.messages
    messages.append(StreamMessage.event("synced") { _ in })
    return Array(messages.joined())
  }

  mutating func forgetTab(_ id: WebRequestID) {
    if tabs.removeValue(forKey: id) != nil { declareCapabilities() }
    // A recording ends with its download.
    endRecording(id)
  }

  mutating func endTabs(of session: Session) {
    for (id, tab) in tabs where tab.session.token == session.token {
      tabs[id] = nil
      effects.append(.endStream(id))
    }
    declareCapabilities()
  }

  mutating func broadcast(_ message: [UInt8]) {
    for id in tabs.keys { effects.append(.send(id, message)) }
  }

  /// Tells the agent what a person can do in a pairing: as long as an operator's page is open, everything.
  private mutating func declareCapabilities() {
    let wanted: [PairingCapabilityName]? =
      tabs.isEmpty
      ? nil : tabs.values.contains { $0.session.role == .operator } ? PairingCapabilityName.allCases : []
    guard wanted != declared else { return }
    if declared != nil { pass(.cancel(Self.pickerCall)) }
    declared = wanted
    guard let wanted else { return requests.clear() }
    pass(
      .begin(
        Self.pickerCall,
        .kept(OperatorMethodName.watch) { json in
          if !wanted.isEmpty { json.member("capabilities", wanted) }
        }))
  }

  mutating func respond(_ request: WebRequest, _ response: WebResponse) {
    effects.append(.respond(request.id, response))
  }
}
