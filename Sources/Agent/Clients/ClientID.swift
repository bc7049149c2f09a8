// SPDX-License-Identifier: GPL-3.0-or-later

/// A client for as long as it is connected. The next client in the same slot has another generation.
public struct ClientID: Hashable, Sendable {
  let slot: Int
  let generation: UInt64
}

/// What becomes of a peer that connects.
public enum Admission: Equatable, Sendable {
  case admitted(ClientID)
  /// The socket is closed at once, without a message.
  case refused(AdmissionRefusal)
}

/// Why a peer is turned away.
public enum AdmissionRefusal: String, CaseIterable, Sendable {
  /// The account is neither an operator's nor an app's.
  case stranger
  /// Every slot is taken, or those that are left are kept for operators.
  case full
  /// The user has as many connections as one user may have.
  case userFull
}
