// SPDX-License-Identifier: Apache-2.0

/// What a bridge may do beside seeing.
public enum BridgePermission: String, CaseIterable, Sendable {
  case pick, rename, remove, scan
}
