// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import LinuxSystem
import Registry
import RegistryFormat
import Setup
import Varlink

/// An exported registry, whole in memory and found to be good.
struct ImportFile {
  /// As large as the registry's own file may be.
  private static let byteCountMax = 16 << 20
  /// Bytes of a call that are not lines.
  private static let callOverhead = 256
  /// As many values as one message may have, with room for its own.
  private static let linesPerCallMax = 1_024

  let accessoryCount: Int
  /// The lines as they go out, a call each; one at least.
  let batches: [[String]]

  init(reading path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileContents(reading: path, byteCountMax: Self.byteCountMax).bytes
    } catch {
      throw .file(path: path, error)
    }
    let lines = try Self.lines(bytes, path)
    do throws(RegistryImportError) {
      accessoryCount = try RegistryImport.read(lines).accessories.count
    } catch {
      throw .sentence("\(shown(path)): \(error.reason); nothing was changed", .dataError)
    }
    batches = try Self.batches(lines, path)
  }

  private static func lines(_ bytes: [UInt8], _ path: String) throws(Failure) -> [String] {
    var lines: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let text = String(validating: line, as: UTF8.self) else {
        throw .sentence(
          "\(shown(path)): line \(lines.count + 1) is not UTF-8; nothing was changed", .dataError)
      }
      lines.append(text)
    }
    return lines
  }

  /// As many lines in each call as it takes.
  private static func batches(_ lines: [String], _ path: String) throws(Failure) -> [[String]] {
    let room = ClientLimits().callBytesMax - callOverhead
    var batches: [[String]] = [[]]
    var byteCount = 0
    for (place, line) in lines.enumerated() {
      let cost = Self.byteCount(of: line)
      guard cost <= room else {
        throw .sentence(
          "\(shown(path)): line \(place + 1) is longer than any row; nothing was changed", .dataError)
      }
      let batch = batches.count - 1
      if byteCount + cost > room || batches[batch].count == linesPerCallMax {
        batches.append([line])
        byteCount = cost
      } else {
        batches[batch].append(line)
        byteCount += cost
      }
    }
    return batches
  }

  /// Of a line as JSON text, and the comma behind it.
  private static func byteCount(of line: String) -> Int {
    var json = JSONWriter()
    json.line { $0.member("", line) }
    return json.takeBytes().count
  }
}
