// SPDX-License-Identifier: GPL-3.0-or-later

/// What keys mean at the moment.
enum PickerMode: Equatable, Sendable {
  /// They move about and decide.
  case list
  /// They are the text.
  case typing(PickerTyping)
  /// They answer a question.
  case confirming(PickerQuestion)
  /// Any goes back.
  case help
}

/// A text that is asked for.
struct PickerTyping: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    /// The name of a candidate that is to be chosen.
    case candidate(UInt32)
    /// The whole name of the network of a candidate that is to be chosen, which begins so.
    case network(UInt32, name: String?, prefix: String)
    /// The name that the request waits for.
    case answer
  }

  /// Of display names, as the registry keeps them.
  static let nameBytesMax = 248
  /// IEEE 802.11-2020, 9.4.2.2.
  static let networkBytesMax = 32

  let request: String
  let purpose: Purpose
  var field: TextField
  /// What stands in its way, for people.
  var complaint: String?
}

/// A question that Enter or y agrees to, and every other key does not.
struct PickerQuestion: Equatable, Sendable {
  let sentence: String
  let action: PickerAction
}
