// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import HCI
import LinuxSystem
import ManifestFormat

// Why there is no radio, for people: what status and the log say.

extension RadioEnd {
  var sentence: String {
    switch self {
    case .hungUp: "the controller hung up"
    case .outOfStep(let octet):
      "the controller's stream is out of step: no packet begins with 0x\(String(octet, radix: 16))"
    case .deaf: "the controller takes no commands"
    case .system(let error): "the controller is lost: \(error.sentence)"
    case .unplugged: "the controller was unplugged"
    case .gone(let sentence): sentence
    case .recordingEnded(let count):
      "the recording has ended after \(count) \(count == 1 ? "record" : "records")"
    case .recordingBroken(let error): "the recording cannot be read on: \(error.sentence)"
    }
  }
}

extension RadioOpening.Failure {
  var sentence: String {
    switch self {
    case .file(let path, let error): "cannot read \(quoted(path)): \(error.sentence)"
    case .room(let line, let count):
      count == 1 ? "the room is wrong: \(line)" : "the room is wrong in \(count) places, the first: \(line)"
    case .socket(let path, let error):
      if error.isMissing || error.isRefused {
        "no controller listens at \(quoted(path))"
      } else {
        "cannot connect to \(quoted(path)): \(error.sentence)"
      }
    case .withoutBluetooth: "this kernel has no Bluetooth; modprobe bluetooth loads it where it is a module"
    case .adapters(let error): "adapters cannot be listed: \(error.sentence)"
    case .adapterMissing(let selection, let there):
      "the adapter \(selection.text) is not there"
        + (there.isEmpty
          ? "; there is none at all"
          : ", but \(there.map { "hci\($0)" }.joined(separator: ", "))")
    case .taken(let index): "another program has hci\(index) for itself"
    case .blocked(let index): "hci\(index) is blocked; rfkill unblock bluetooth frees it"
    case .adapter(let index, let error): "hci\(index) cannot be opened: \(error.sentence)"
    case .capabilityMissing(let capability, let access):
      "access = \"\(access.rawValue)\" needs \(capability.name), which this process does not have; "
        + "AmbientCapabilities=\(names(access).joined(separator: " ")) in its unit, setcap "
        + "\(names(access).joined(separator: ",").lowercased())+ep on the program, or --cap-add of a container gives it"
    case .recoveryRequest(let path, let error):
      "the request for recovery cannot be left at \(quoted(path)): \(error.sentence)"
    case .recoveryUnheard:
      "nobody took the request for recovery; systemctl enable --now accessoryd-recovery.path starts who does"
    }
  }
}

extension RadioOpening.Failure {
  /// The least that each kind of access works with.
  private func names(_ access: Gateway.Access) -> [String] {
    switch access {
    case .exclusive: [Capability.networkAdministration.name]
    case .shared: [Capability.networkAdministration.name, Capability.rawNetwork.name]
    }
  }
}

extension BtsnoopError {
  fileprivate var sentence: String {
    switch self {
    case .headerCut(let byteCount): "it has \(byteCount) of the 16 bytes that a btsnoop capture starts with"
    case .notBtsnoop: "it is no btsnoop capture"
    case .unsupportedVersion(let version): "its btsnoop version, \(version), is unknown"
    case .unsupportedDatalink(let code): "its datalink, \(code), is unknown"
    case .recordCut(let offset): "it ends inside the record at byte \(offset)"
    case .recordOversized(let offset, _): "the record at byte \(offset) is longer than any packet"
    }
  }
}
