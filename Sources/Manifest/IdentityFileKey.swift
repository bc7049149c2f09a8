// SPDX-License-Identifier: GPL-3.0-or-later

/// A file of identity keys.
public enum IdentityFileKey: String, ManifestKey {
  case schema, identity
}

/// `[[identity]]`
public enum IdentityEntryKey: String, ManifestKey {
  case address
  case addressType = "address-type"
  case irk
}
