// SPDX-License-Identifier: GPL-3.0-or-later

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

/// Why there is no radio.
enum RadioOpeningError: Error, Equatable, Sendable {
  case file(path: String, FileError)
  case socket(path: String, SystemError)
  /// The kernel has no Bluetooth.
  case withoutBluetooth
  /// The kernel could not list the adapters.
  case adapters(SystemError)
  /// No adapter matches the selection; `present` are the indexes of those that the machine has.
  case adapterMissing(RadioSelection, present: [UInt16])
  /// Another program uses the adapter exclusively.
  case taken(UInt16)
  /// rfkill blocks the adapter.
  case blocked(UInt16)
  case adapter(UInt16, SystemError)
  case capabilityMissing(Capability, Gateway.Access)
  /// The request for the recovery unit could not be written.
  case recoveryRequest(String, SystemError)
  /// No recovery unit accepted the request.
  case recoveryIgnored
}

extension RadioOpeningError {
  /// The longest pause before the radio is opened again; nil if only a new manifest can help.
  var retryMillisecondsMax: Int64? {
    switch self {
    case .socket, .adapters, .adapter: BackOff.millisecondsMax
    // The kernel reports a new adapter; this is for a report that was lost.
    case .adapterMissing: BackOff.millisecondsMax
    // No event reports the end of these.
    case .taken, .blocked: 2000
    case .file, .withoutBluetooth, .capabilityMissing, .recoveryRequest, .recoveryIgnored: nil
    }
  }

  /// Whether another adapter may be usable.
  var isOfOneAdapter: Bool {
    switch self {
    case .adapterMissing, .taken, .blocked, .adapter: true
    case .file, .socket, .withoutBluetooth, .adapters, .capabilityMissing, .recoveryRequest,
      .recoveryIgnored:
      false
    }
  }

  /// Whether there is no adapter on which to perform a recovery action.
  var isAbsence: Bool {
    switch self {
    case .withoutBluetooth, .adapterMissing, .taken, .blocked, .capabilityMissing: true
    case .file, .socket, .adapters, .adapter, .recoveryRequest, .recoveryIgnored: false
    }
  }
}
