// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI

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
