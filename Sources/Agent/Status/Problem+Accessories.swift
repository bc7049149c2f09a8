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
  /// How many readings a device must have given since it was silent, so that all of its frames have been heard.
  private static let readingsMin = 8
  /// How long a device must have been heard.
  private static let heardMillisecondsMin: Int64 = 60_000

  /// The accessories of some apps, or of all, that are heard, and that their items do not match.
  func accessoriesNotMatching(of apps: Set<String>?) -> [Problem] {
    guard radio.state == .on else { return [] }
    var problems: [Problem] = []
    for accessory in setupCore.registry.accessories where apps.includes(accessory.app) {
      guard problems.count < Self.notMatchingMax else { break }
      guard let problem = problemOfNotMatching(accessory) else { continue }
      problems.append(problem)
    }
    return problems
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
    guard identities.contains(where: \.hasBluetoothClause), gate.silenceMilliseconds < gate.lostMilliseconds,
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

  /// Whether the device has been heard for long enough, and often enough, that a frame that matches would have come.
  private func isHeardWell(_ view: DeviceView) -> Bool {
    view.device.unkeptMatches == 0 && view.device.signal.readingCount >= Self.readingsMin
      && radioTime.milliseconds(since: view.device.firstSeen) >= Self.heardMillisecondsMin
  }
}
