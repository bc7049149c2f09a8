// SPDX-License-Identifier: GPL-3.0-or-later
import AgentCore
import Discovery
import HCI
public struct ReloadSummary: Equatable, Sendable {
  public var itemsKept: Int
  public var itemsAdded: Int
  public var itemsRemoved: Int
}
extension DataPath {
  mutating func reload(_ manifest: Manifest, identities: [IdentityKey], adapterOffset: Int8, at time: Instant)
    -> ReloadSummary
  { ReloadSummary(itemsKept: 0, itemsAdded: 0, itemsRemoved: 0) }
  func item(of sighting: Sighting) -> ManifestItem { items[Int(sighting.item)] }
}
