// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import SessionClient

/// A rule that a session broke, as a sentence.
public struct BrokenRule: Error, Equatable, Sendable {
  public let sentence: String
}

/// How a delivery is falsified, so that tests can show that the rules notice it.
public enum SessionTampering: CaseIterable, Sendable {
  case losesAnEvent, repeatsAnEvent, repeatsACompletion, losesACompletion, completesBeforeTheEvent

  /// What the app learns instead of these deliveries.
  func falsify(_ deliveries: [SessionDelivery]) -> [SessionDelivery] {
    let event = deliveries.firstIndex {
      if case .event(let event) = $0 { (30...50).contains(event.type) } else { false }
    }
    let completion = deliveries.firstIndex { if case .completion = $0 { true } else { false } }
    var falsified = deliveries
    switch self {
    case .losesAnEvent: if let event { falsified.remove(at: event) }
    case .repeatsAnEvent: if let event { falsified.insert(deliveries[event], at: event) }
    case .repeatsACompletion: if let completion { falsified.insert(deliveries[completion], at: completion) }
    case .losesACompletion: if let completion { falsified.remove(at: completion) }
    case .completesBeforeTheEvent:
      if let event, let completion, event < completion { falsified.swapAt(event, completion) }
    }
    return falsified
  }
}

/// Follows what one app learns, and checks it against AccessorySetupKit's rules.
struct SessionOracle {
  /// A call that has not completed.
  struct OpenCall {
    let request: SessionRequest
    let time: Int64
  }

  private(set) var open: [CallID: OpenCall] = [:]
  /// What the events so far amount to.
  private(set) var accessories: [AppAccessoryLine] = []
  private(set) var isActivated = false
  private(set) var isInvalidated = false
  /// Why the session was invalidated; nil when the app did it.
  private var endError: SessionError?
  private(set) var hasEnded = false
  private(set) var isPresented = false
  private(set) var discovered: [UInt32] = []
  /// How often each kind of event came, and each result.
  private(set) var counts: [String: Int] = [:]

  mutating func noteCall(_ id: CallID, _ request: SessionRequest, at time: Int64) {
    open[id] = OpenCall(request: request, time: time)
  }

  mutating func check(_ delivery: SessionDelivery) throws(BrokenRule) {
    switch delivery {
    case .event(let event): try check(event)
    case .completion(let id, let result): try check(id, result)
    case .advertisement(let id, let line):
      try require(open[id]?.request == .watchAdvertisements, "an advertisement has no call")
      try require(line.event != .found || !line.data.isEmpty || !line.inSight, "an empty advertisement")
      count("advertisement")
    case .radio, .unreachable, .leftOut: break
    case .ended:
      try require(!hasEnded, "the session ended twice")
      hasEnded = true
      try require(open.isEmpty, "\(open.count) calls are open at the end")
    }
  }

  private mutating func check(_ event: SessionEvent) throws(BrokenRule) {
    count("event \(event.type)")
    try require(!isInvalidated, "event \(event.type) follows invalidated")
    try require(isActivated || event.type == 10 || event.type == 11, "event \(event.type) precedes activated")
    let index = event.accessory.flatMap { accessory in
      accessories.firstIndex { $0.identifier == accessory.identifier }
    }
    switch event.type {
    case 10:
      try require(!isActivated, "activated came twice")
      isActivated = true
      accessories = event.accessories
    case 11:
      isInvalidated = true
      endError = event.error
      accessories = []
    case 30:
      try require(index == nil, "an accessory was added twice")
      if let accessory = event.accessory { accessories.append(accessory) }
    case 31:
      guard let index else { throw BrokenRule(sentence: "an unknown accessory was removed") }
      accessories.remove(at: index)
    case 32:
      guard let index, let accessory = event.accessory else {
        throw BrokenRule(sentence: "an unknown accessory changed")
      }
      try require(accessories[index] != accessory, "an accessory changed without a difference")
      accessories[index] = accessory
    case 33:
      try require(isPresented, "a device was discovered without a picker")
      if let device = event.discovered { discovered.append(device.line.discovered) }
    case 40:
      try require(!isPresented, "a picker was presented over another")
      isPresented = true
      discovered = []
    case 50:
      try require(isPresented, "no picker was there to be dismissed")
      isPresented = false
    case 20: try require(isPresented, "a migration completed without a picker")
    case 60, 70, 80, 90: try require(isPresented, "event \(event.type) came without a picker")
    default: break
    }
    try require(event.accessories == accessories, "event \(event.type) and the accessories disagree")
  }

  private mutating func check(
    _ id: CallID, _ result: Result<CallOutcome, SessionError>
  ) throws(BrokenRule) {
    guard let call = open.removeValue(forKey: id) else {
      throw BrokenRule(sentence: "call \(id.number) completed twice, or was never made")
    }
    switch result {
    case .failure(let error):
      count("\(error.code)")
      try require(error.code != .success, "a call failed with success")
      try require(!error.reason.isEmpty && !error.cure.isEmpty, "\(error.code) has no reason or no cure")
      if isInvalidated, let endError {
        try require(
          error == endError || error.code == .invalidated, "a call fails with another error than its session")
      }
      if case .showPicker = call.request,
        [.userCancelled, .discoveryTimeout, .userRestricted].contains(error.code)
      {
        try require(!isPresented, "a picker failed before it was dismissed")
      }
    case .success:
      count("done")
      if case .showPicker = call.request {
        try require(!isPresented, "a picker completed before it was dismissed")
      }
      if case .removeAccessory(let accessory) = call.request {
        try require(
          !accessories.contains { $0.identifier == accessory }, "a removal completed before its event")
      }
      if case .finishAuthorization(let accessory, _, _) = call.request {
        try require(
          accessories.first { $0.identifier == accessory }?.state != 10,
          "an authorization completed before its event")
      }
    }
  }

  private mutating func count(_ kind: String) { counts[kind, default: 0] += 1 }

  private func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(BrokenRule) {
    guard condition else { throw BrokenRule(sentence: sentence()) }
  }
}
