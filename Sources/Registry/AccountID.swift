// SPDX-License-Identifier: GPL-3.0-or-later

/// An account by its number, as the kernel knows it: names may come to mean somebody else.
public enum AccountID: Hashable, Sendable {
  case user(UInt32)
  case group(UInt32)
}
