// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BridgeRuntime
import LinuxSystem
import MQTTBridge
import MQTTFormat
import ManifestFormat

/// The configuration's file.
struct ConfigurationFile {
  private static let byteCountMax = 1 << 20

  let path: String

  /// Reads it, with what is wrong with it, or may be.
  func read() throws(ProgramError) -> Reading<MQTTConfiguration> {
    do throws(SystemError) {
      let text = try DurableFile.contents(of: path, byteCountMax: Self.byteCountMax)
      return MQTTConfigurationReader.read(text: text, fileName: path)
    } catch {
      if error.isMissing {
        throw .failure(.noInput, "\(path): there is no such file; write it, or name another: --config FILE")
      }
      if error.isPermission { throw .failure(.noPermission, "\(path): this account may not read it") }
      throw .failure(.noInput, "\(path): it cannot be read: \(error.reason)")
    }
  }

  /// Files that the configuration names and that cannot be read, as sentences.
  static func unreadable(in configuration: MQTTConfiguration) -> [String] {
    guard let certificates = configuration.broker.certificates else { return [] }
    let files = [
      ("cafile", certificates.authorities), ("certfile", certificates.certificate),
      ("keyfile", certificates.key),
    ]
    return files.compactMap { key, path in
      guard let path else { return nil }
      do throws(SystemError) {
        _ = try DurableFile.contents(of: path, byteCountMax: byteCountMax)
        return nil
      } catch { return "\(key): \(path) cannot be read: \(error.reason)" }
    }
  }
}

/// The file with the position in the events.
struct CursorFile {
  private static let byteCountMax = 256

  let path: String

  func read() -> MQTTBridge.StoredCursor {
    do throws(SystemError) {
      let bytes = try DurableFile.contents(of: path, byteCountMax: Self.byteCountMax)
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard words.count == 2, let sequence = UInt64(words[1]) else { return .unreadable }
      return .known(EventCursor(epoch: String(words[0]), sequence: sequence))
    } catch {
      return error.isMissing ? .none : .unreadable
    }
  }

  /// Replaces it; the disk has it afterwards. Returns why not.
  func write(_ cursor: EventCursor) -> String? {
    do throws(SystemError) {
      try DurableFile.replace(path, with: Array("\(cursor.epoch) \(cursor.sequence)\n".utf8))
      return nil
    } catch { return error.reason }
  }
}

/// What systemd's LoadCredential= brings.
struct Credentials {
  let folder: String?

  /// The password of the broker's user; nil without one.
  var password: String? {
    guard let folder, let bytes = try? DurableFile.contents(of: "\(folder)/password", byteCountMax: 4096)
    else {
      return nil
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
