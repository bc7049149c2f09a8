// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
import Discovery
import HCI
import JSON
import Manifest
import Setup
import ToolText
import Varlink

// How the agent is, for an operator.

extension AgentCore {
  /// The reply to `Status`.
  func status() -> [UInt8] {
    let manifest = configuration.manifest
    let counters = dataPath.pipeline.counters
    let watchers = activityCount { if case .watch = $0 { true } else { false } }
    return Message.reply { json in
      json.member("version", version)
      json.member("epoch", epoch.text)
      json.member("time", Seconds(microseconds: radioTime.microseconds))
      json.object("radio") { writeRadio(to: &$0) }
      json.objects("problems", problems) { json, problem in
        json.member("kind", problem.kind)
        json.member("sentence", problem.sentence)
      }
      json.member("apps", manifest.apps.count)
      json.member("items", dataPath.items.count)
      json.member("devices", dataPath.deviceCount)
      json.member("devicesMax", dataPath.pipeline.rowCount)
      json.member("found", dataPath.foundCount)
      json.member("reports", counters.reports)
      json.member("events", dataPath.pipeline.events.produced)
      json.member("connections", clients.count)
      json.member("connectionsMax", clients.limits.connections)
      json.member("watchers", watchers)
      json.member("reloads", tally.reloads)
      json.member("reloadsRefused", tally.reloadsRefused)
    }
  }

  private func writeRadio(to json: inout JSONWriter) {
    json.member("source", GatewayError.cut(radioSource))
    json.member("state", radio.state.rawValue)
    json.member("detail", radio.detail)
    if let isActive = radio.isActive { json.member("scan", isActive ? "active" : "passive") }
    if radio.link == .shared, radio.shared.address != 0 {
      json.member("address", DeviceAddress(bits: radio.shared.address, type: .public).text)
    }
    if radio.link == .controller, radio.state == .on {
      json.member("address", DeviceAddress(bits: radio.profile.address, type: .public).text)
      json.member("extendedAdvertising", radio.bringup.scansExtended)
      json.member("codedPHY", radio.bringup.scansExtended && radio.profile.scansCoded)
    }
    json.member("bringups", radio.bringups)
    json.member("failures", radio.failures)
    json.member("dropped", tally.receiveDrops)
    if let mean = tally.queueing.mean {
      json.member("queueing", Seconds(microseconds: mean))
      json.member("queueingMax", Seconds(microseconds: tally.queueing.longest))
    }
  }

  /// What a person should know or do, most pressing first.
  var problems: [Problem] {
    let counters = dataPath.pipeline.counters
    var problems: [Problem] = []
    switch radio.state {
    case .absent:
      problems.append(
        Problem(
          kind: "radioAbsent",
          sentence: "there is no radio: \(radio.detail); accessoryctl reload looks for it anew"))
    case .recovering:
      problems.append(
        Problem(
          kind: "radioRecovering",
          sentence: "the radio does not scan: \(radio.detail)"
            + (radio.failures == 0
              ? "" : "; it is tried again by itself. If that lasts, power the controller off and on")))
    case .on, .off: break
    }
    problems += radioProblems
    if let degradation = setupCore.degradation {
      problems.append(Problem(kind: "registryDegraded", sentence: degradation))
    } else if let refusal = setupCore.lastRefusalOfDisk {
      problems.append(
        Problem(
          kind: "registryNotWritten",
          sentence: "a change of the registry was not written: \(refusal), and make the change again"))
    }
    for app in setupCore.suspendedApps {
      problems.append(
        Problem(
          kind: "accessoriesSuspended",
          sentence: "the accessories of \(app) are suspended: the manifest has given it another account;"
            + " accessoryctl authorize \(app) confirms that"))
    }
    if !lastFindings.isEmpty {
      problems.append(
        Problem(
          kind: "reloadRefused",
          sentence: "the last reload was refused and the manifest of before is in force: "
            + GatewayError.cut(lastFindings[0])))
    }
    if counters.devicesTurnedAway > 0 || counters.matchingDevicesEvicted > 0 {
      problems.append(
        Problem(
          kind: "tableFull",
          sentence: "the device table was full of matching devices and gave some up; raise capacity.devices"))
    }
    return problems
  }
}

/// A thing that a person should know or do.
struct Problem: Equatable, Sendable {
  /// A word that stays the same.
  let kind: String
  let sentence: String
}

extension AgentCore {
  /// What is wrong with a radio that may well scan.
  private var radioProblems: [Problem] {
    var problems: [Problem] = []
    if let exhaustion = radio.watchdog.exhaustion {
      problems.append(
        Problem(
          kind: "radioNeedsAPerson",
          sentence:
            "\(exhaustion.sentence): unplug it and "
            + "plug it in again, or switch the gateway off and on; if that does not help either, replace it"))
    }
    if let last = lastReceiveDrop, now.milliseconds(since: last) < 60_000 {
      problems.append(
        Problem(
          kind: "packetsDropped",
          sentence:
            "\(tally.receiveDrops) packets of the radio were lost since the start, the last of them within"
            + " the last minute: the machine was too busy to read them; look with top at what else runs here")
      )
    }
    if radio.isImmediateDegraded {
      problems.append(
        Problem(
          kind: "immediateDegraded",
          sentence: "the range immediate may not be recognised: \(radio.detail)"))
    }
    return problems
  }
}

extension Watchdog.Exhaustion {
  fileprivate var sentence: String {
    switch self {
    case .nothingHelped: "\(Watchdog.laddersPerHourMax) times in an hour no remedy helped the adapter"
    case .failsTooOften:
      "\(Watchdog.curesPerHourMax) times in an hour the adapter failed, and was brought back"
    }
  }
}

extension DataPath {
  var deviceCount: Int {
    var count = 0
    for row in 0..<pipeline.rowCount where pipeline.device(at: row) != nil { count += 1 }
    return count
  }

  /// Devices that an item has found.
  var foundCount: Int {
    var count = 0
    for row in 0..<pipeline.rowCount where isFound(at: row) { count += 1 }
    return count
  }
}

extension Radio {
  /// What is going on, in a sentence's end.
  var detail: String {
    switch link {
    case .absent(let reason), .ended(let reason): return reason
    case .recording: return "a recording is played"
    case .listener:
      return
        "it listens while other programs scan; with CAP_NET_ADMIN (setcap, the unit's AmbientCapabilities, "
        + "or --cap-add) the agent would see to the scan itself"
    case .mending(let rung): return "\((failure ?? .unanswered).sentence); \(rung.sentence)"
    case .controller, .shared: break
    }
    if let failure { return failure.sentence }
    if isSwitchedOff {
      return
        "somebody switched the adapter off; bluetoothctl power on, or accessoryctl reload, brings it back"
    }
    guard let isActive else {
      switch state {
      case .off: return "no scan is wanted"
      case .on: return "its scan is being changed"
      case .recovering, .absent: return "the controller is being brought up"
      }
    }
    guard link == .controller else {
      return shared.hasMonitors
        ? "the kernel scans for it, \(isActive ? "active" : "passive")"
        : "the kernel is too old for advertisement monitors: discovery scans for it"
    }
    let format = bringup.scansExtended ? "extended" : "legacy"
    return "it scans, \(isActive ? "active" : "passive"), \(format)"
  }
}

extension ControllerInitializerError {
  /// What happened.
  public var sentence: String {
    switch self {
    case .timeout(let opcode): "the controller did not answer command \(opcode.text) in time"
    case .refused(let opcode, let code):
      "the controller refused command \(opcode.text) with error 0x\(Hex.digits(UInt64(code.rawValue), count: 2))"
    case .answerCut(let opcode): "the controller's answer to command \(opcode.text) was too short"
    case .hardwareError(let code):
      "the controller reported a hardware error, 0x\(Hex.digits(UInt64(code), count: 2))"
    case .cannotScan: "the controller knows no scan commands"
    }
  }
}

extension ControllerInitializerError {
  /// Something in the controller broke: its scan is gone with everything else.
  var isHardware: Bool { if case .hardwareError = self { true } else { false } }
}

extension MgmtScanError {
  var sentence: String {
    switch self {
    case .timeout(let opcode): "the kernel did not answer \(opcode.text) in time"
    case .refused(let opcode, let status):
      "the kernel refused \(opcode.text) with error 0x\(Hex.digits(UInt64(status.rawValue), count: 2))"
    case .answerCut(let opcode): "the kernel's answer to \(opcode.text) was too short"
    case .blocked: "the radio is blocked; rfkill unblock bluetooth frees it"
    case .permissionDenied: "the kernel refuses: \(Self.cure)"
    case .withoutLowEnergy: "the adapter knows no Bluetooth LE"
    case .gone: "the adapter was unplugged, or another program took it for itself"
    }
  }

  private static let cure =
    "the agent needs CAP_NET_ADMIN (setcap cap_net_admin,cap_net_raw+ep, or AmbientCapabilities in its unit)"
}

extension RecoveryAction {
  /// What is done, in a sentence's end.
  public var sentence: String {
    switch self {
    case .restartScan: "its scan is begun anew"
    case .reset: "it is reset"
    case .takeDownAndUp: "the adapter is taken down and up"
    case .powerCycle: "the adapter is switched off and on"
    case .boardStep: "the board's recovery unit is asked for help"
    }
  }
}

extension MgmtOpcode {
  fileprivate var text: String {
    switch self {
    case .readControllerInformation: "Read Controller Information"
    case .setPowered: "Set Powered"
    case .setLowEnergy: "Set Low Energy"
    case .startDiscovery: "Start Discovery"
    case .stopDiscovery: "Stop Discovery"
    case .readDefaultSystemConfiguration: "Read Default System Configuration"
    case .setDefaultSystemConfiguration: "Set Default System Configuration"
    case .addMonitor: "Add Advertisement Patterns Monitor"
    case .removeMonitor: "Remove Advertisement Monitor"
    default: "0x\(Hex.digits(UInt64(rawValue), count: 4))"
    }
  }
}

extension Opcode {
  fileprivate var text: String { "0x\(Hex.digits(UInt64(rawValue), count: 4))" }
}
