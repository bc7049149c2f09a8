// SPDX-License-Identifier: Apache-2.0

import Values

extension SessionClient {
  /// How long an agent that was restarted may take to report how its pickers ended.
  private static let openingsMax = Duration.seconds(5)

  /// The reply to `ShowPicker` named the picker.
  mutating func showed(_ picker: String, _ call: PendingCall) {
    guard !pickers.isAbandoned(picker) else { return complete(call.id, .failure(.sessionLost)) }
    if let ending = pickers.name(picker, for: call.id) {
      complete(call.id, Self.result(ending.error))
    } else {
      change(call.id) { ($0.state, $0.deadline) = (.showing, nil) }
    }
  }

  mutating func finishPicker(_ picker: String?, _ error: SessionError?) {
    let awaitsReply = calls.contains(where: \.isShowingUnnamed)
    guard let call = pickers.finish(picker, error, awaitsReply: awaitsReply) else { return }
    complete(call, Self.result(error))
  }

  private static func result(_ error: SessionError?) -> Result<CallOutcome, SessionError> {
    error.map { .failure($0) } ?? .success(.done)
  }

  /// Ends the pickers that went with a lost session. With `openingsUntil` the agent itself may report the end of one,
  /// before that event.
  mutating func settlePickers(openingsUntil: UInt64?) {
    guard pickers.areLost else { return }
    if let openingsUntil, pickers.hasOpen {
      pickers.areLost = false
      pickers.awaitOpenings(until: openingsUntil, end: now + Self.openingsMax)
    } else {
      abandonPickers()
    }
  }

  /// The item of an open picker, if the app supplied it.
  func requestedItem(of picker: String, at index: Int) -> RequestedItem? {
    let named = pickers.call(of: picker)
    let call = calls.first { $0.id == named } ?? calls.first(where: \.isShowingUnnamed)
    guard case .showPicker(let items?, _)? = call?.request, items.indices.contains(index) else { return nil }
    return items[index]
  }

  /// Closes a picker whose call failed before its reply came, for instance because the connection broke: no app waits for
  /// it, and it would keep the next one from being shown.
  mutating func cancelOrphan() {
    guard case .streaming = phase, !calls.contains(where: \.isShowingUnnamed), pickers.beginCancellingOrphan()
    else { return }
    calls.append(PendingCall(id: .internalCall, request: .cancelPicker, deadline: now + .seconds(30)))
  }

  /// Reports the end of each open picker, which the agent does not.
  mutating func abandonPickers() {
    for picker in pickers.abandonAll() {
      if picker.hasBegunSetup {
        deliver(
          SessionEvent(
            AccessoryEventType.pickerSetupFailed.rawValue, error: .sessionLost, accessories: accessories))
      }
      if picker.isPresented {
        deliver(SessionEvent(AccessoryEventType.pickerDidDismiss.rawValue, accessories: accessories))
      }
      if let call = picker.call { complete(call, .failure(.sessionLost)) }
    }
  }
}

extension PendingCall {
  /// The call may still name a picker.
  var isShowingUnnamed: Bool {
    if case .showPicker = request, case .sent = state { true } else { false }
  }
}
