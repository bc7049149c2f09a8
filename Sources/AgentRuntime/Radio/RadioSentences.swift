// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import ManifestFormat

// Why there is no radio, in sentences for status and the log.

extension RadioSourceError {
  var sentence: String {
    switch self {
    case .hungUp:
      "the controller hung up; start the program behind its socket again, and the agent reconnects"
    case .notH4(let byte):
      "the controller's socket does not carry H4: no packet begins with 0x\(String(byte, radix: 16)); "
        + RadioError.h4Cure
    case .rejectsCommands: "the controller does not accept commands"
    case .system(let error): "the controller is lost: \(error.sentence)"
    case .unplugged: "the controller was unplugged"
    case .gone(let sentence): sentence
    case .recordingEnded(let count):
      "the recording has ended after \(count) \(count == 1 ? "record" : "records")"
    case .recordingBroken(let error): "the rest of the recording cannot be read: \(error.sentence)"
    }
  }
}

extension RadioOpeningError {
  var sentence: String {
    switch self {
    case .file(let path, let error): "cannot read \(quoted(path)): \(error.sentence)"
    case .socket(let path, let error):
      if error.isMissing || error.isRefused {
        "no controller listens at \(quoted(path)); start the program that serves this socket, and the agent connects "
          + "(virtual-controller SCENE.toml --socket PATH simulates a controller)"
      } else if error.isPermission {
        "the agent's account may not connect to \(quoted(path)); run the program that serves this socket under the same "
          + "account, or change the socket's mode"
      } else {
        "cannot connect to \(quoted(path)): \(error.sentence); \(RadioError.h4Cure)"
      }
    case .withoutBluetooth: "this kernel has no Bluetooth; modprobe bluetooth loads it where it is a module"
    case .adapters(let error): "adapters cannot be listed: \(error.sentence)"
    case .adapterMissing(let selection, let present):
      "there is no adapter \(selection.text)"
        + (present.isEmpty
          ? "; this machine has none"
          : "; this machine has \(present.map { "hci\($0)" }.joined(separator: ", "))")
    case .taken(let index): "another program uses hci\(index) exclusively; stop it"
    case .blocked(let index): "hci\(index) is blocked; rfkill unblock bluetooth frees it"
    case .adapter(let index, let error): "hci\(index) cannot be opened: \(error.sentence)"
    case .capabilityMissing(let capability, let access):
      "access = \"\(access.rawValue)\" needs \(capability.name), which this process does not have; "
        + "AmbientCapabilities=\(names(access).joined(separator: " ")) in its unit, setcap "
        + "\(names(access).joined(separator: ",").lowercased())+ep on the program, or --cap-add of a container gives it"
    case .recoveryRequest(let path, let error):
      "the request for recovery cannot be written to \(quoted(path)): \(error.sentence)"
    case .recoveryIgnored:
      "no recovery unit accepted the request; systemctl enable --now accessoryd-recovery.path starts it"
    }
  }
}

extension RadioOpeningError {
  /// The capabilities that each kind of access needs.
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
    case .headerTruncated(let byteCount):
      "it has \(byteCount) of the 16 bytes that a btsnoop capture starts with"
    case .notBtsnoop:
      "it is not a btsnoop capture; accessoryctl decode FILE says what it is and how to convert it"
    case .unsupportedVersion(let version): "its btsnoop version, \(version), is unknown"
    case .unsupportedDatalink(let code): "its datalink, \(code), is unknown"
    case .recordTruncated(let offset): "it ends inside the record at byte \(offset)"
    case .recordOversized(let offset, _): "the record at byte \(offset) is longer than any packet"
    }
  }
}
