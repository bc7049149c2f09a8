// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
import HCI
import Interfaces

// The radio's state, and what it does and why it failed, in words for operators.

extension Radio {
  var state: RadioLine.State {
    switch link {
    case .absent: .absent
    case .recording, .listener: .on
    case .ended: .off
    case .recovering: .recovering
    case .controller: controllerState
    case .shared: sharedState
    }
  }

  private var controllerState: RadioLine.State {
    switch initializer.state {
    case .scanning: .on
    case .ready: .off
    // A scan that changes its parameters stays on meanwhile.
    case .configuring, .enabling, .disabling: scanningSince == nil ? .recovering : .on
    case .off, .preparing, .failed: .recovering
    }
  }

  private var sharedState: RadioLine.State {
    switch shared.state {
    case .scanning: .on
    case .ready: .off
    case .switchedOff: .absent
    case .off, .preparing, .failed: .recovering
    }
  }

  var profile: ControllerProfile { initializer.profile }

  /// Whether packets arrive as they are received, by the agent's clock.
  var isLive: Bool {
    switch link {
    case .controller, .shared, .listener: true
    case .absent, .recording, .recovering, .ended: false
    }
  }

  /// Whether the scan is active; nil unless the radio scans by the agent's will.
  var isActive: Bool? {
    switch (link, initializer.state, shared.state) {
    case (.controller, .scanning(let isActive), _), (.shared, _, .scanning(let isActive)): isActive
    default: nil
    }
  }

  /// Whether a controller that takes the agent's commands scans, or is about to.
  var ownControllerScans: Bool {
    guard link == .controller else { return false }
    switch initializer.state {
    case .scanning, .configuring, .enabling, .disabling: return true
    case .off, .preparing, .ready, .failed: return false
    }
  }

  /// Whether a command is under way.
  var awaitsAnswer: Bool {
    if probe.end != nil { return true }
    switch initializer.state {
    case .preparing, .configuring, .enabling, .disabling: return link == .controller
    case .off, .ready, .scanning, .failed: return false
    }
  }

  /// Whether the scan may pass on too few reports of a device for the gate: another program's scan, or the kernel's
  /// discovery, which leaves repetitions out.
  var isImmediateDegraded: Bool {
    switch link {
    case .listener: true
    case .shared: !shared.hasMonitors
    case .absent, .controller, .recording, .recovering, .ended: false
    }
  }

  /// Whether a shared adapter was switched off.
  var isSwitchedOff: Bool { link == .shared && shared.state == .switchedOff }

  /// Whether a recovery action is under way.
  var isRecovering: Bool { if case .recovering = link { true } else { false } }

  /// The commands that undo what the kernel was asked to do.
  var restoringCommands: [MgmtCommand] { link == .shared ? shared.restoringCommands : [] }

  /// What is going on, in a sentence's end.
  var detail: String {
    switch link {
    case .absent(let reason), .ended(let reason): return reason
    case .recording: return "a recording is played"
    case .listener:
      return
        "it listens while other programs scan; with CAP_NET_ADMIN (setcap, the unit's AmbientCapabilities, "
        + "or --cap-add) the agent would see to the scan itself"
    case .recovering(let action): return "\((recovery.failure ?? .unanswered).sentence); \(action.sentence)"
    case .controller, .shared: break
    }
    if let failure = recovery.failure { return failure.sentence }
    if isSwitchedOff {
      return shared.powersOn
        ? "the adapter was switched off; bluetoothctl power on, or accessoryctl reload, brings it back"
        : "the adapter is off, and the manifest has power = \"keep\"; bluetoothctl power on switches it on"
    }
    guard let isActive else {
      switch state {
      case .off: return "no scan is wanted"
      case .on: return "its scan is being changed"
      case .recovering, .absent: return "the controller is being initialized"
      }
    }
    guard link == .controller else {
      return shared.hasMonitors
        ? "the kernel scans for it, \(isActive ? "active" : "passive")"
        : "the kernel is too old for advertisement monitors: discovery scans for it"
    }
    let format =
      initializer.extendedRefusal != nil
      ? "legacy: the controller refuses extended scanning" : initializer.scansExtended ? "extended" : "legacy"
    return "it scans, \(isActive ? "active" : "passive"), \(format)"
  }

  /// What is lost when the controller offers extended scanning and refuses it; nil when it does not.
  var extendedScanProblem: String? {
    guard link == .controller, isActive != nil, let refusal = initializer.extendedRefusal else { return nil }
    return
      "\(refusal.sentence) twice, although it offers extended scanning; the agent scans with the legacy commands, so "
      + "that devices which send only extended advertising are not heard; the next reset of the adapter tries again, "
      + "and known-limits = [\"noExtendedScanning\"] in the board's profile spares the attempts"
  }
}

extension ControllerInitializerError {
  /// What happened.
  public var sentence: String {
    switch self {
    case .timeout(let opcode): "the controller did not answer command \(opcode.text) in time"
    case .refused(let opcode, let code):
      "the controller refused command \(opcode.text) with error 0x\(Hex.digits(UInt64(code.rawValue), count: 2))"
    case .replyTruncated(let opcode): "the controller's answer to command \(opcode.text) was too short"
    case .hardwareError(let code):
      "the controller reported a hardware error, 0x\(Hex.digits(UInt64(code), count: 2))"
    case .cannotScan: "the controller knows no scan commands"
    }
  }

  /// Something in the controller broke: its scan is gone with everything else.
  var isHardware: Bool { if case .hardwareError = self { true } else { false } }
}

extension MgmtScanError {
  var sentence: String {
    switch self {
    case .timeout(let opcode): "the kernel did not answer \(opcode.text) in time"
    case .refused(let opcode, let status):
      "the kernel refused \(opcode.text) with error 0x\(Hex.digits(UInt64(status.rawValue), count: 2))"
    case .replyTruncated(let opcode): "the kernel's answer to \(opcode.text) was too short"
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
    case .restartScan: "the scan is restarted"
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
