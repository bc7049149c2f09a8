// SPDX-License-Identifier: Apache-2.0

import Values

/// The pickers that a session opened.
///
/// Capacity: ``countMax`` open pickers (the agent allows one) and as many that were given up; the oldest give way.
struct PickerBook: Equatable, Sendable {
  static let countMax = 16

  struct Picker: Equatable, Sendable {
    let id: String
    /// nil until the reply to `ShowPicker` names the picker.
    var call: CallID?
    var isPresented = false
    /// Something is set up, and has not failed; it ends with the picker.
    var hasBegunSetup = false
    /// An event may be read before the reply that names its picker.
    var ending: Ending?
    /// Its call failed before the reply, and the agent was asked to close it.
    var isBeingCancelled = false
  }

  struct Ending: Equatable, Sendable {
    var error: SessionError?
  }

  private(set) var open: [Picker] = []
  private var abandoned: [String] = []
  /// The agent no longer has these pickers, and no event says so.
  var areLost = false
  /// Until when, and before which event, the agent may report how its run before ended.
  private(set) var openingsEnd: Duration?
  private(set) var openingsUntil: UInt64?

  var hasOpen: Bool { !open.isEmpty }

  func isAbandoned(_ id: String) -> Bool { abandoned.contains(id) }

  func isPresented(_ id: String) -> Bool { open.contains { $0.id == id && $0.isPresented } }

  /// The call that opened a picker; nil before its reply.
  func call(of id: String) -> CallID? { open.first { $0.id == id }?.call }

  /// Records that the reply to a call named the picker. Returns its ending when that came first.
  mutating func name(_ id: String, for call: CallID) -> Ending? {
    let index = index(of: id)
    open[index].call = call
    guard let ending = open[index].ending else { return nil }
    open.remove(at: index)
    return ending
  }

  /// Records a picker's event. Without an identifier it is for the open one. Returns false when the app does not know of
  /// the picker: there is none, or the event that presents it was overwritten.
  mutating func note(_ type: AccessoryEventType, of id: String?) -> Bool {
    guard let id = id ?? open.first?.id, type == .pickerDidPresent || isPresented(id) else { return false }
    let index = index(of: id)
    switch type {
    case .pickerDidPresent: open[index].isPresented = true
    case .pickerDidDismiss: (open[index].isPresented, open[index].hasBegunSetup) = (false, false)
    case .pickerSetupPairing, .pickerSetupBridging, .pickerSetupRename: open[index].hasBegunSetup = true
    case .pickerSetupFailed: open[index].hasBegunSetup = false
    case .activated, .invalidated, .migrationComplete, .accessoryAdded, .accessoryRemoved, .accessoryChanged,
      .accessoryDiscovered, .unknown:
      break
    }
    return true
  }

  /// An accessory of the presented picker awaits the app. Returns false when there is none: another session asked for it.
  mutating func beginSetup() -> Bool {
    for index in open.indices where open[index].isPresented { open[index].hasBegunSetup = true }
    return open.contains(where: \.isPresented)
  }

  /// Records how a picker ended. Returns the call that this completes; nil when its reply is still to come, or none is.
  mutating func finish(_ id: String?, _ error: SessionError?, awaitsReply: Bool) -> CallID? {
    guard let id = id ?? open.first?.id else { return nil }
    guard awaitsReply || open.contains(where: { $0.id == id }) else { return nil }
    let index = index(of: id)
    guard let call = open[index].call else {
      if open[index].isBeingCancelled {
        open.remove(at: index)
      } else {
        open[index].ending = Ending(error: error)
      }
      return nil
    }
    open.remove(at: index)
    return call
  }

  /// Marks a picker that is shown and that no call will ever name. Returns whether there is one.
  mutating func beginCancellingOrphan() -> Bool {
    guard let index = open.firstIndex(where: { $0.call == nil && $0.isPresented && !$0.isBeingCancelled })
    else {
      return false
    }
    open[index].isBeingCancelled = true
    return true
  }

  /// Waits for the events with which a run of the agent begins.
  mutating func awaitOpenings(until sequence: UInt64, end: Duration) {
    openingsUntil = sequence
    openingsEnd = end
  }

  /// Gives all open pickers up, and returns them.
  mutating func abandonAll() -> [Picker] {
    defer { open = [] }
    abandoned = (abandoned + open.map(\.id)).suffix(Self.countMax)
    (openingsEnd, openingsUntil, areLost) = (nil, nil, false)
    return open
  }

  private mutating func index(of id: String) -> Int {
    if let index = open.firstIndex(where: { $0.id == id }) { return index }
    if open.count == Self.countMax { open.removeFirst() }
    open.append(Picker(id: id))
    return open.count - 1
  }
}
