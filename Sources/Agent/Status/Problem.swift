// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import DeviceLines
import Discovery
import Interfaces
import Manifest
import Registry
import Setup

/// A condition that an operator should know about, or act on.
typealias Problem = StatusLine.Problem

extension [Problem] {
  fileprivate mutating func add(_ kind: String, _ sentence: String) {
    append(Problem(kind: kind, sentence: sentence))
  }
}

extension AgentCore {
  /// What an operator should know or do, most pressing first.
  var problems: [Problem] {
    let counters = dataPath.pipeline.counters
    var problems: [Problem] = []
    switch radio.state {
    case .absent:
      problems.add(
        "radioAbsent",
        "there is no radio: \(radio.detail); run accessoryctl reload to look for it again")
    case .recovering:
      problems.add(
        "radioRecovering",
        "the radio does not scan: \(radio.detail)"
          + (radio.recovery.failureCount == 0 && exclusiveCure == nil
            ? "" : "; the agent keeps trying; if this continues, \(recoveryCure)"))
    case .on, .off: break
    }
    problems += radioProblems
    if let networkProblem { problems.append(networkProblem) }
    if let milliseconds = setupCore.diskHangMilliseconds {
      problems.add(
        "registryNotWritten",
        "the disk has not answered for \(milliseconds / 1000) s: nothing that is changed meanwhile is "
          + "known to be stored, and it may still be; see what dmesg says about the disk")
    } else if let degradation = setupCore.degradation {
      problems.add("registryDegraded", degradation)
    } else if let refusal = setupCore.lastWriteFailure {
      problems.add(
        "registryNotWritten",
        "a change of the registry was not written: \(refusal), and make the change again")
    }
    if !reload.lastFindings.isEmpty {
      problems.add(
        "reloadRefused",
        "the last reload was refused, and the previous manifest stays in force: "
          + GatewayError.cut(reload.lastFindings[0]))
    }
    if let error = appSocketErrors.first {
      let count = appSocketErrors.count - 1
      problems.add(
        "appSocketMissing", GatewayError.cut(error) + (count == 0 ? "" : "; and \(count) more"))
    }
    if counters.devicesTurnedAway > 0 || counters.matchingDevicesEvicted > 0 {
      problems.add(
        "tableFull",
        "the device table was full of matching devices and gave some up; raise capacity.devices")
    }
    return problems + self.problems(of: nil)
  }

  /// The problems of some apps, or of all.
  func problems(of apps: Set<String>?) -> [Problem] {
    var problems: [Problem] = []
    for app in setupCore.suspendedApps where apps.includes(app) {
      problems.add(
        "accessoriesSuspended",
        "the accessories of \(app) are suspended: the manifest has given it another account;"
          + " accessoryctl authorize \(app) confirms that")
    }
    problems += lostBonds(of: apps) + bondsToAuthenticate(of: apps) + accessoriesNotMatching(of: apps)
    let full = dataPath.turnedAwayLines.filter { apps.includes($0.app) }.prefix(Self.fullItemsMax)
    return problems + full.map { Problem(kind: "itemFull", sentence: $0.sentence) }
  }

  /// How many full items are named.
  private static let fullItemsMax = 8
  /// How many devices are named whose bonds are lost, and how many accessories that lack an authenticated bond.
  private static let bondsMax = 8

  /// The devices whose bonds are lost, by their first accessory.
  private func lostBonds(of apps: Set<String>?) -> [Problem] {
    let registry = setupCore.registry
    let lost = registry.devices.lazy.filter { BondState($0.bond) == .lost }.compactMap { device in
      let accessory = registry.accessories.first { $0.device == device.number && apps.includes($0.app) }
      return accessory.map { accessory in
        Problem(
          kind: "bondLost",
          sentence:
            "the bond of \(device.displayName.quotedForDisplay) is lost: the device or the gateway no "
            + "longer has its keys; accessoryctl pair \(accessory.identifier.text) pairs it again")
      }
    }
    return Array(lost.prefix(Self.bondsMax))
  }

  /// The accessories whose items demand a bond that their devices lack.
  private func bondsToAuthenticate(of apps: Set<String>?) -> [Problem] {
    let registry = setupCore.registry
    let lacking = registry.accessories.filter {
      apps.includes($0.app) && setupCore.lacksAuthenticatedBond($0)
    }
    return lacking.prefix(Self.bondsMax).map { accessory in
      Problem(
        kind: "bondNotAuthenticated",
        sentence:
          "an item of \(accessory.app) demands an authenticated bond, and "
          + "\(registry.device(of: accessory).displayName.quotedForDisplay) has none: no app can connect to it; "
          + "remove it with accessoryctl remove \(accessory.identifier.text), and from other apps that have it, "
          + "and set it up again; or take pairing = \"authenticated\" out of the item")
    }
  }

  /// What helps a controller that the agent cannot recover.
  private var recoveryCure: String {
    if case .h4 = configuration.manifest.gateway.radio { return RadioError.h4Cure }
    return exclusiveCure ?? "power the controller off and on"
  }

  /// What helps a controller that refuses the extended scan of a kernel, which does not use the legacy commands then.
  private var exclusiveCure: String? {
    if case .h4 = configuration.manifest.gateway.radio { return nil }
    guard configuration.manifest.gateway.access == .shared,
      case .controller(let error) = radio.recovery.failure, error.isRefusalOfExtendedScan
    else { return nil }
    return
      "use access = \"exclusive\": the kernel, which scans with access = \"shared\", knows no other way, and the "
      + "agent does"
  }

  /// What is wrong with a radio although it may be scanning.
  private var radioProblems: [Problem] {
    var problems: [Problem] = []
    if let exhaustion = radio.recovery.watchdog.exhaustion {
      problems.add(
        "radioNeedsAPerson",
        "\(exhaustion.sentence): "
          + (exclusiveCure
            ?? "unplug it and plug it in again, or switch the gateway off and on; if that does not help either, replace it")
      )
    }
    if let last = counters.reception.lastDrop, now.milliseconds(since: last) < 60_000 {
      problems.add(
        "packetsDropped",
        "\(counters.reception.drops) packets of the radio were lost since the start, the last of them within"
          + " the last minute: the machine was too busy to read them; look with top at what else runs here")
    }
    if let sentence = radio.extendedScanProblem {
      problems.add("extendedScanRefused", sentence)
    }
    if radio.isImmediateDegraded {
      problems.add(
        "immediateDegraded", "the range immediate may not be recognised: \(radio.detail)")
    }
    return problems
  }
}

extension Watchdog.Exhaustion {
  fileprivate var sentence: String {
    switch self {
    case .nothingHelped:
      "\(Watchdog.failedEscalationsPerHourMax) times in an hour no remedy helped the adapter"
    case .failsTooOften:
      "\(Watchdog.escalationsPerHourMax) times in an hour the adapter failed, and was brought back"
    }
  }
}

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
