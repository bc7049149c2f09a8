// SPDX-License-Identifier: GPL-3.0-or-later

/// A client for as long as it is connected; another one on the same place has another id.
public struct ClientID: Hashable, Sendable {
  let place: Int
  let generation: UInt64
}

/// What becomes of somebody who connects.
public enum Admission: Equatable, Sendable {
  case admitted(ClientID)
  /// To be closed at once, without a word.
  case refused(AdmissionRefusal)
}

/// Why somebody who connects is turned away.
public enum AdmissionRefusal: String, CaseIterable, Sendable {
  /// Neither an operator nor an app.
  case stranger
  /// Every connection is taken, or those that are left are kept for operators.
  case full
  /// The user has as many connections as one may have.
  case userFull
}
