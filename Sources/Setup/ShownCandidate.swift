// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// How the app of a filtered picker shows a device that it discovered: `ASDiscoveredDisplayItem`. What is nil is as in the
/// item that the device matches.
public struct ShownCandidate: Equatable, Sendable {
  /// The candidate's number.
  public let number: UInt32
  public var name: String?
  public var image: String?
  public var setupOptions: SetupOptions?
  public var renameOptions: RenameOptions?
  /// They become part of the accessory's descriptor.
  public var supportedOptions: SupportOptions?

  public init(number: UInt32) { self.number = number }
}

extension PickerRequest {
  /// Returns the item by which a candidate is set up: the one that it matches, with the options that the app gave the
  /// candidate. The candidate's name and image are no part of it.
  public func item(of candidate: PickerCandidate) -> PickerItem {
    var item = items[candidate.item]
    guard let shown = candidate.shownAs else { return item }
    if let options = shown.setupOptions { item.item.setupOptions = options }
    if let options = shown.renameOptions { item.item.renameOptions = options }
    if let options = shown.supportedOptions { item.item.descriptor.supportedOptions = options }
    return item
  }
}
