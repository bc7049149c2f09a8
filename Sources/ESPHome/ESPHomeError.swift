// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a client's connection is closed.
public enum ESPHomeError: Error, Hashable, Sendable, CaseIterable {
  /// The client speaks without encryption, and needs the key.
  case plaintext
  /// It speaks with encryption, and the gateway does not now.
  case encrypted
  /// A frame is longer than the client may send now.
  case tooLong
  /// A frame, or the message in it, is not as the protocol demands.
  case malformedMessage
  /// The client has another key.
  case wrongKey
  /// A message is not the one that comes next, or was altered.
  case notGenuine
  /// The client did not say hello in time, or is silent.
  case silent
  /// The client does not read what it asked for.
  case unread
  /// There are as many connections as there may be, of all clients or of one address.
  case tooMany
}
