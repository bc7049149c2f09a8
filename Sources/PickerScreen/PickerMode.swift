// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// What keys do now.
enum PickerMode: Equatable, Sendable {
  /// Keys move the selection and decide.
  case list
  /// Keys are the text.
  case typing(PickerTyping)
  /// Keys say whether a candidate is a new accessory, or a silent one's new device.
  case replacing(PickerReplacement)
  /// Keys confirm or decline a question.
  case confirming(PickerQuestion)
  /// Any key goes back.
  case help
}

/// A text that the operator types.
struct PickerTyping: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    /// The name for a candidate that the operator chooses; `offered` is the one that it gets anyway.
    case candidate(UInt32, offered: String?)
    /// The whole name of a candidate's network, which begins with `prefix`.
    case network(UInt32, name: String?, prefix: String, replaces: String?)
    /// The name for which the request waits.
    case answer
    /// What the shown devices have in a name or their address.
    case filter
    /// The six digits that the accessory shows.
    case digits
  }

  /// The longest display name that the registry keeps.
  static let nameBytesMax = 248
  /// The longest network name (IEEE 802.11-2020, 9.4.2.2).
  static let networkBytesMax = 32

  let request: String
  let purpose: Purpose
  var field: TextField
  /// Why the text is not accepted, as a sentence for the operator.
  var complaint: String?
}

/// A candidate that may be a silent accessory's new device. Enter or n: it is a new accessory. A digit, or r where one
/// accessory is silent: it replaces that one's device. Any other key goes back.
struct PickerReplacement: Equatable, Sendable {
  let request: String
  let candidate: UInt32
  let name: String?
  let silent: [SilentAccessoryLine]

  /// The accessory that a key names.
  func accessory(for key: PickerKey) -> SilentAccessoryLine? {
    guard case .character(let scalar) = key else { return nil }
    if scalar == "r" { return silent.count == 1 ? silent[0] : nil }
    let index = Int(scalar.value) - Int(("1" as Unicode.Scalar).value)
    return silent.indices.contains(index) ? silent[index] : nil
  }
}

/// A question. Enter or y agrees; any other key declines.
struct PickerQuestion: Equatable, Sendable {
  let sentence: String
  let action: PickerAction
}
