// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import LinuxSystem
import Manifest
import ManifestFormat

/// Opens radios. The *devices* worker runs it, because files and sockets may block.
enum RadioOpening {
  /// The longest recording: a day of many devices.
  private static let recordingBytesMax = 1 << 29

  /// An open file, socket or adapter, from which the loop makes a source.
  enum Opened: Sendable {
    case socket(SharedDescriptor, UnixSocketKind)
    case recording([UInt8], RecordingPace)
    case adapter(OpenAdapter)
  }

  static func open(_ request: RadioRequest) -> Result<Opened, RadioOpeningError> {
    Result { () throws(RadioOpeningError) in
      switch request.selection {
      case .any, .index, .address:
        .adapter(try AdapterOpener().open(request))
      case .h4(let path): try connect(path)
      case .btsnoop(let name):
        .recording(try contents(recordingName(name).path, recordingBytesMax), recordingName(name).pace)
      }
    }
  }

  /// Performs a recovery action on the adapter, and opens it.
  static func recover(
    _ action: RecoveryAction, _ request: RadioRequest, settleMilliseconds: Int
  ) -> Result<Opened, RadioOpeningError> {
    Result { () throws(RadioOpeningError) in
      let opening = try AdapterOpener()
      let adapters = try opening.find(request.selection, request.knownAddress)
      let recovery = AdapterRecovery(index: adapters[0].index, settleMilliseconds: settleMilliseconds)
      if let failure = recovery.performAction(action, by: opening.control, requestPath: request.recoveryPath)
      {
        throw failure
      }
      return .adapter(try opening.open(request))
    }
  }

  /// Reads `FILE`, `FILE?pace=flat-out` or `FILE?pace=recorded`, which is the default.
  static func recordingName(_ name: String) -> (path: String, pace: RecordingPace) {
    for (suffix, pace) in [("?pace=flat-out", RecordingPace.flatOut), ("?pace=recorded", .recorded)]
    where name.hasSuffix(suffix) {
      return (String(name.dropLast(suffix.count)), pace)
    }
    return (name, .recorded)
  }

  /// Connects to a stream socket or, if the socket is of the other type, to one with packets.
  private static func connect(_ path: String) throws(RadioOpeningError) -> Opened {
    do throws(SystemError) {
      return .socket(SharedDescriptor(try UnixConnection.open(path: path)), .stream)
    } catch  where error.isWrongSocketType {
      do throws(SystemError) {
        return .socket(SharedDescriptor(try UnixConnection.open(path: path, kind: .packets)), .packets)
      } catch {
        throw .socket(path: path, error)
      }
    } catch {
      throw .socket(path: path, error)
    }
  }

  private static func contents(_ path: String, _ byteCountMax: Int) throws(RadioOpeningError) -> [UInt8] {
    do throws(FileError) { return try FileContents(ofFile: path, byteCountMax: byteCountMax).bytes } catch {
      throw .file(path: path, error)
    }
  }
}

/// Why there is no radio, in a sentence for status and the log.
struct RadioOpeningError: Error, Equatable, Sendable {
  let sentence: String
  /// The longest pause before the radio is opened again; nil if only a new manifest can help.
  var retryMillisecondsMax: Int64?
  /// Whether another adapter may be usable.
  var isOfOneAdapter = false
  /// Whether there is no adapter on which to perform a recovery action.
  var isAbsence = false

  static func file(path: String, _ error: FileError) -> Self {
    Self(sentence: "cannot read \(quoted(path)): \(error.sentence)")
  }
  static func socket(path: String, _ error: SystemError) -> Self {
    let sentence =
      if error.isMissing || error.isRefused {
        "no controller listens at \(quoted(path)); start the program that serves this socket, and the agent connects "
          + "(virtual-controller SCENE.toml --socket PATH simulates a controller)"
      } else if error.isPermission {
        "the agent's account may not connect to \(quoted(path)); run the program that serves this socket under the same "
          + "account, or change the socket's mode"
      } else {
        "cannot connect to \(quoted(path)): \(error.sentence); \(RadioError.h4Cure)"
      }
    return Self(sentence: sentence, retryMillisecondsMax: BackOff.millisecondsMax)
  }
  static let withoutBluetooth = Self(
    sentence: "this kernel has no Bluetooth; modprobe bluetooth loads it where it is a module",
    isAbsence: true)
  /// The kernel could not list the adapters.
  static func adapters(_ error: SystemError) -> Self {
    Self(
      sentence: "adapters cannot be listed: \(error.sentence)",
      retryMillisecondsMax: BackOff.millisecondsMax)
  }
  /// No adapter matches the selection; `present` are the indexes of those that the machine has. The kernel reports a new
  /// adapter: the pause is for a report that was lost.
  static func adapterMissing(_ selection: RadioSelection, present: [UInt16]) -> Self {
    let names = present.map { "hci\($0)" }.joined(separator: ", ")
    return Self(
      sentence:
        "there is no adapter \(selection.text); this machine has \(present.isEmpty ? "none" : names)",
      retryMillisecondsMax: BackOff.millisecondsMax, isOfOneAdapter: true, isAbsence: true)
  }
  static func taken(_ index: UInt16) -> Self {
    occupied("another program uses hci\(index) exclusively; stop it")
  }
  static func blocked(_ index: UInt16) -> Self {
    occupied("hci\(index) is blocked; rfkill unblock bluetooth frees it")
  }
  /// No event reports the end of it.
  private static func occupied(_ sentence: String) -> Self {
    Self(sentence: sentence, retryMillisecondsMax: 2000, isOfOneAdapter: true, isAbsence: true)
  }
  static func adapter(_ index: UInt16, _ error: SystemError) -> Self {
    Self(
      sentence: "hci\(index) cannot be opened: \(error.sentence)",
      retryMillisecondsMax: BackOff.millisecondsMax, isOfOneAdapter: true)
  }
  static func capabilityMissing(_ capability: Capability, _ access: Gateway.Access) -> Self {
    let needed = (access == .shared ? [.networkAdministration, .rawNetwork] : [.networkAdministration])
      .map { (capability: Capability) in capability.name }
    return Self(
      sentence:
        "access = \"\(access.rawValue)\" needs \(capability.name), which this process does not have; "
        + "AmbientCapabilities=\(needed.joined(separator: " ")) in its unit, setcap "
        + "\(needed.joined(separator: ",").lowercased())+ep on the program, or --cap-add of a container gives it",
      isAbsence: true)
  }
  /// The request for the recovery unit could not be written.
  static func recoveryRequest(_ path: String, _ error: SystemError) -> Self {
    Self(sentence: "the request for recovery cannot be written to \(quoted(path)): \(error.sentence)")
  }
  static let recoveryIgnored = Self(
    sentence:
      "no recovery unit accepted the request; systemctl enable --now accessoryd-recovery.path starts it")
}
