// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem

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
    case .adapter:
      "adapters of this machine cannot be used yet; name virtual:FILE, btsnoop:FILE or h4:PATH as the radio"
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
