// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import DeviceLines
import Discovery
import HCI
import Interfaces
import Manifest
import Registry
import Setup

extension AgentCore {
  /// How many accessories are named that their items no longer match.
  private static let notMatchingMax = 8
  /// How many reports a device must have sent, so that all of its frames have been heard.
  private static let reportsMin = 8
  /// A pause that is longer is an absence, unless no more reports come between such pauses: then the device sleeps.
  private static let absence: (milliseconds: Int64, reports: Int64) = (600_000, 16)
  /// How long a device must have been heard.
  private static let heardMillisecondsMin: Int64 = 60_000

  /// The accessories of some apps, or of all, that are heard, and that their items do not match.
  func accessoriesNotMatching(of apps: Set<String>?) -> [Problem] {
    guard radio.state == .on else { return [] }
    let accessories = setupCore.registry.accessories.lazy.filter { apps.includes($0.app) }
    return Array(accessories.compactMap(problemOfNotMatching).prefix(Self.notMatchingMax))
  }

  private func problemOfNotMatching(_ accessory: RegistryAccessory) -> Problem? {
    // What an app added to an accessory is not part of an item.
    guard let id = accessory.item, accessory.alternate == nil,
      let item = dataPath.items.firstIndex(where: { $0.app == accessory.app && $0.item.id == id })
    else { return nil }
    let device = setupCore.registry.device(of: accessory)
    guard let row = dataPath.row(of: device), let view = dataPath.device(atRow: row), isHeardWell(view),
      !view.matches.contains(where: { $0.item == item })
    else { return nil }
    let identities = [dataPath.items[item].item.descriptor, dataPath.items[item].item.alternate].compactMap(
      \.self)
    let gate = ItemStateLine(dataPath, view, item: item).gate
    guard identities.contains(where: \.hasBluetoothClause),
      gate.silenceMilliseconds < max(gate.lostMilliseconds, 3 * Int(gate.rhythmMilliseconds ?? 0)),
      !identities.contains(where: { identity in
        view.payloads.contains { identity.holds(in: $0, of: view.address) }
      })
    else { return nil }
    let address = view.address.text ?? ""
    return Problem(
      kind: "accessoryNotMatching",
      sentence: GatewayError.cut(
        "\(device.displayName.quotedForDisplay) of \(accessory.app) is heard as \(address), but its item "
          + "\(accessory.app)/\(id) no longer matches it, so that the app hears nothing of it; "
          + "accessoryctl explain \(address) shows why, and accessoryctl suggest \(address) writes what matches: "
          + "correct the item, and run accessoryctl reload"))
  }

  /// Whether the device has been heard for long enough, and often enough, that a frame that matches would have come. Its
  /// readings are counted anew after each silence, so that a device that sleeps never has many.
  private func isHeardWell(_ view: DeviceView) -> Bool {
    let (device, pause) = (view.device, Int64(view.device.rhythmMilliseconds ?? 0))
    let milliseconds = radioTime.milliseconds(since: device.firstSeen)
    let isBack = pause > Self.absence.milliseconds && device.signal.readingCount < Self.reportsMin
    return device.unkeptMatches == 0 && device.reportCount >= Self.reportsMin
      && milliseconds >= Self.heardMillisecondsMin
      && (!isBack || pause * Int64(device.reportCount) <= Self.absence.reports * milliseconds)
  }
}
