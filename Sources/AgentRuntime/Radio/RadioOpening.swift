// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import LinuxSystem
import Manifest
import ManifestFormat

/// Opens radios: what the *devices* worker does, since files and sockets may keep it waiting.
enum RadioOpening {
  /// A day of many devices.
  private static let recordingBytesMax = 1 << 29

  /// What is there to make a source of.
  enum Opened: Sendable {
    case link(SharedDescriptor, UnixSocketKind)
    case recording([UInt8], RecordingPace)
    case adapter(OpenAdapter)
  }

  /// Why there is no radio.
  enum Failure: Error, Equatable, Sendable {
    case file(path: String, FileError)
    case socket(path: String, SystemError)
    /// The kernel has none.
    case withoutBluetooth
    /// Adapters cannot be listed.
    case adapters(SystemError)
    /// The one that is wanted is not `there`.
    case adapterMissing(RadioSelection, there: [UInt16])
    /// Another program has it for itself.
    case taken(UInt16)
    /// rfkill.
    case blocked(UInt16)
    case adapter(UInt16, SystemError)
    case capabilityMissing(Capability, Gateway.Access)
    /// The request for the recovery unit cannot be made, or nobody took it.
    case recoveryRequest(String, SystemError)
    case recoveryUnheard
  }

  static func open(_ request: RadioRequest) -> Result<Opened, Failure> {
    Result { () throws(Failure) in
      switch request.selection {
      case .any, .index, .address:
        .adapter(try AdapterOpener().open(request))
      case .h4(let path): try connect(path)
      case .btsnoop(let name):
        .recording(try contents(recordingName(name).path, recordingBytesMax), recordingName(name).pace)
      }
    }
  }

  /// Does to the adapter what a recovery action says, and opens it.
  static func recover(
    _ action: RecoveryAction, _ request: RadioRequest, settleMilliseconds: Int
  ) -> Result<Opened, Failure> {
    Result { () throws(Failure) in
      let opening = try AdapterOpener()
      let adapters = try opening.find(request.selection, request.knownAddress)
      let recovery = AdapterRecovery(index: adapters[0].index, settleMilliseconds: settleMilliseconds)
      if let failure = recovery.perform(action, by: opening.control, requestPath: request.recoveryPath) {
        throw failure
      }
      return .adapter(try opening.open(request))
    }
  }

  /// `FILE`, or `FILE?pace=flat-out`; `?pace=recorded` says what is so anyway.
  static func recordingName(_ name: String) -> (path: String, pace: RecordingPace) {
    for (suffix, pace) in [("?pace=flat-out", RecordingPace.flatOut), ("?pace=recorded", .recorded)]
    where name.hasSuffix(suffix) {
      return (String(name.dropLast(suffix.count)), pace)
    }
    return (name, .recorded)
  }

  /// A stream when there is one to be had, else packet by packet.
  private static func connect(_ path: String) throws(Failure) -> Opened {
    do throws(SystemError) {
      return .link(SharedDescriptor(try UnixConnection.open(path: path)), .stream)
    } catch  where error.isWrongSocketType {
      do throws(SystemError) {
        return .link(SharedDescriptor(try UnixConnection.open(path: path, kind: .packets)), .packets)
      } catch {
        throw .socket(path: path, error)
      }
    } catch {
      throw .socket(path: path, error)
    }
  }

  private static func contents(_ path: String, _ byteCountMax: Int) throws(Failure) -> [UInt8] {
    do throws(FileError) { return try FileContents(ofFile: path, byteCountMax: byteCountMax).bytes } catch {
      throw .file(path: path, error)
    }
  }
}

extension RadioOpening.Failure {
  /// How long at most until it is tried again; nil where that cannot help without a new manifest.
  var retryMillisecondsMax: Int64? {
    switch self {
    case .socket, .adapters, .adapter: BackOff.millisecondsMax
    // An adapter that comes is told of; this is for one that was not.
    case .adapterMissing: BackOff.millisecondsMax
    // Nobody tells that these are over.
    case .taken, .blocked: 2000
    case .file, .withoutBluetooth, .capabilityMissing, .recoveryRequest, .recoveryUnheard: nil
    }
  }

  /// Whether another adapter may do better.
  var isOfOneAdapter: Bool {
    switch self {
    case .adapterMissing, .taken, .blocked, .adapter: true
    case .file, .socket, .withoutBluetooth, .adapters, .capabilityMissing, .recoveryRequest,
      .recoveryUnheard:
      false
    }
  }

  /// Whether there is an adapter at all to try something with.
  var isAbsence: Bool {
    switch self {
    case .withoutBluetooth, .adapterMissing, .taken, .blocked, .capabilityMissing: true
    case .file, .socket, .adapters, .adapter, .recoveryRequest, .recoveryUnheard: false
    }
  }
}
