// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Explanation

extension AppEvent {
  /// Where an event stands in its app's numbering.
  struct Place: Equatable {
    /// `activated` takes no number; it tells the next one.
    var sequence: UInt64
    /// How many numbers before this one went to other sessions of the app.
    var passed = 0
    /// As text.
    var epoch: String
  }

  /// The members of an `Event`; what is not of its kind is left out.
  func writeMembers(at place: Place, to json: inout JSONWriter) {
    json.member("sequence", place.sequence)
    if place.passed > 0 { json.member("passed", place.passed) }
    json.member("epoch", place.epoch)
    json.member("time", Seconds(microseconds: time.microseconds))
    json.member("event", kind.name)
    if let type = kind.type { json.member("eventType", type.rawValue) }
    kind.writeSubject(to: &json)
    if let picker { json.member("picker", picker.text) }
    if let failure = kind.failure { json.object("error") { failure.writeMembers(to: &$0) } }
  }
}

extension AppEvent.Kind {
  /// As the interface calls it.
  var name: String { type?.name ?? "pickerFinished" }

  /// Why it came to nothing.
  var failure: SetupError? {
    switch self {
    case .invalidated(let failure), .pickerSetupFailed(let failure): failure
    case .pickerFinished(let failure): failure
    case .activated, .migrationComplete, .accessoryAdded, .accessoryRemoved, .accessoryChanged,
      .accessoryDiscovered, .pickerDidPresent, .pickerDidDismiss, .pickerSetupBridging, .pickerSetupPairing,
      .pickerSetupRename:
      nil
    }
  }

  fileprivate func writeSubject(to json: inout JSONWriter) {
    switch self {
    case .accessoryAdded(let accessory), .accessoryRemoved(let accessory):
      json.object("accessory") { accessory.writeMembers(to: &$0) }
    case .accessoryChanged(let accessory, let changed):
      json.object("accessory") { accessory.writeMembers(to: &$0) }
      json.member("changed", changed.map(\.rawValue))
    case .accessoryDiscovered(let discovered):
      json.object("discovered") { discovered.writeMembers(to: &$0) }
    case .activated, .invalidated, .migrationComplete, .pickerDidPresent, .pickerDidDismiss,
      .pickerSetupBridging, .pickerSetupFailed, .pickerSetupPairing, .pickerSetupRename, .pickerFinished:
      break
    }
  }
}

extension DiscoveredAccessory {
  /// The members of a `Discovered`.
  func writeMembers(to json: inout JSONWriter) {
    json.member("discovered", number)
    json.member("itemIndex", itemIndex)
    if let item { json.member("item", item) }
    json.member("bluetoothAdvertisementData", Hex(payload))
    if let rssi { json.member("bluetoothRSSI", rssi) }
  }
}
