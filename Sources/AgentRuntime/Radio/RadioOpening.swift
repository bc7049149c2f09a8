// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import LinuxSystem
import ManifestFormat
import RoomFormat
import VirtualRadio

/// Opens radios: what the *devices* worker does, since files and sockets may keep it waiting.
enum RadioOpening {
  /// A day of a busy room; and a room with ten thousand devices.
  private static let recordingBytesMax = 1 << 29
  private static let roomBytesMax = 1 << 24

  /// What is there to make a source of.
  enum Opened: Sendable {
    case link(OpenSocket, LocalSocketKind)
    case room(RoomScript)
    case recording([UInt8], RecordingPace)
  }

  /// Why there is no radio.
  enum Failure: Error, Equatable, Sendable {
    case file(path: String, FileError)
    /// The room's first problem, and how many there are.
    case room(String, count: Int)
    case socket(path: String, SystemError)
    /// Adapters of the machine.
    case adapter
  }

  static func open(_ selection: RadioSelection) -> Result<Opened, Failure> {
    Result { () throws(Failure) in
      switch selection {
      case .any, .index, .address: throw .adapter
      case .h4(let path): try connect(path)
      case .virtual(let path): try room(path)
      case .btsnoop(let name):
        .recording(try contents(recordingName(name).path, recordingBytesMax), recordingName(name).pace)
      }
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
      return .link(OpenSocket(try LocalConnection.open(path: path)), .stream)
    } catch  where error.isWrongSocketType {
      do throws(SystemError) {
        return .link(OpenSocket(try LocalConnection.open(path: path, kind: .packets)), .packets)
      } catch {
        throw .socket(path: path, error)
      }
    } catch {
      throw .socket(path: path, error)
    }
  }

  private static func room(_ path: String) throws(Failure) -> Opened {
    let reading = RoomReader.read(text: try contents(path, roomBytesMax), fileName: path)
    if let room = reading.value { return .room(room) }
    let problems = reading.diagnostics.filter { $0.severity == .error }
    throw .room(problems.first?.line(inFile: path) ?? path, count: problems.count)
  }

  private static func contents(_ path: String, _ byteCountMax: Int) throws(Failure) -> [UInt8] {
    do throws(FileError) { return try FileContents(ofFile: path, byteCountMax: byteCountMax).bytes } catch {
      throw .file(path: path, error)
    }
  }
}

extension RadioOpening.Failure {
  /// Whether trying again may help without anybody's doing.
  var isPassing: Bool {
    switch self {
    case .socket: true
    case .file, .room, .adapter: false
    }
  }
}
