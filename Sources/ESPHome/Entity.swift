// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// What Home Assistant shows of the gateway. The raw value is the entity's number in the protocol.
enum Entity: UInt32, CaseIterable {
  case inclusion = 1, app, candidate, accept, next
  case accessories, forwarded, missed, radio

  /// Whether it is there only for a bridge that may set accessories up.
  var needsPick: Bool {
    switch self {
    case .inclusion, .app, .candidate, .accept, .next: true
    case .accessories, .forwarded, .missed, .radio: false
    }
  }

  private var name: String {
    switch self {
    case .inclusion: "Add accessories"
    case .app: "App"
    case .candidate: "Candidate"
    case .accept: "Accept candidate"
    case .next: "Next candidate"
    case .accessories: "Accessories"
    case .forwarded: "Reports forwarded"
    case .missed: "Reports missed"
    case .radio: "Radio"
    }
  }

  private var icon: String {
    switch self {
    case .inclusion: "mdi:plus-circle-outline"
    case .app: "mdi:application-outline"
    case .candidate: "mdi:bluetooth"
    case .accept: "mdi:check"
    case .next: "mdi:skip-next"
    case .accessories: "mdi:devices"
    case .forwarded: "mdi:arrow-right"
    case .missed: "mdi:arrow-collapse-down"
    case .radio: "mdi:radio-tower"
    }
  }

  /// The message that lists it. `apps` are the options of ``app``.
  func listing(apps: [String]) -> APIMessage {
    let config: UInt64 = 1
    let diagnostic: UInt64 = 2
    switch self {
    case .inclusion: return listing(17)
    case .app:
      return listing(52) { fields in
        for app in apps { fields.item(6, app.utf8) }
        fields.number(8, config)
      }
    case .candidate: return listing(18)
    case .accept, .next: return listing(61)
    case .accessories: return listing(16) { $0.number(10, 1) }
    case .forwarded, .missed:
      return listing(16) { fields in
        // It only grows.
        fields.number(10, 2)
        fields.number(13, diagnostic)
      }
    case .radio:
      return listing(12) { fields in
        fields.text(5, "running")
        fields.number(9, diagnostic)
      }
    }
  }

  private func listing(_ type: UInt64, _ more: (inout FieldWriter) -> Void = { _ in }) -> APIMessage {
    APIMessage(type) { fields in
      fields.text(1, name.lowercased().split(separator: " ").joined(separator: "_"))
      fields.word(2, rawValue)
      fields.text(3, name)
      fields.text(5, icon)
      more(&fields)
    }
  }

  /// The message that says its state.
  func state(_ value: EntityState) -> APIMessage {
    let type: UInt64 =
      switch self {
      case .inclusion: 26
      case .app: 53
      case .candidate: 27
      case .accessories, .forwarded, .missed: 25
      case .radio: 21
      case .accept, .next: preconditionFailure("a button has no state")
      }
    return APIMessage(type) { fields in
      fields.word(1, rawValue)
      switch value {
      case .missing: fields.flag(3, true)
      case .flag(let isOn): fields.flag(2, isOn)
      case .text(let text): fields.text(2, text)
      case .count(let count): fields.float(2, Float(count))
      }
    }
  }
}

enum EntityState: Equatable {
  case missing
  case flag(Bool)
  case text(String)
  case count(UInt64)
}

/// What Home Assistant can have done to an accessory.
enum AccessoryAction: UInt32, CaseIterable {
  case rename = 101, remove

  private var name: String {
    switch self {
    case .rename: "rename_accessory"
    case .remove: "remove_accessory"
    }
  }

  var arguments: [String] {
    switch self {
    case .rename: ["accessory", "name"]
    case .remove: ["accessory"]
    }
  }

  var listing: APIMessage {
    APIMessage(41) { fields in
      fields.text(1, name)
      fields.word(2, rawValue)
      for argument in arguments {
        fields.message(3) { argumentFields in
          argumentFields.text(1, argument)
          // A text.
          argumentFields.number(2, 3)
        }
      }
      // A caller may ask whether it was done, and why not.
      fields.number(4, 100)
    }
  }
}
