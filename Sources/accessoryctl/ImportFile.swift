// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import LinuxSystem
import Registry
import RegistryFormat
import Varlink
import VarlinkClient

/// A whole exported registry in memory, checked.
struct ImportFile {
  /// The largest size of the registry's own file.
  private static let byteCountMax = 16 << 20
  /// Bytes of a call that are not lines.
  private static let callOverhead = 256
  /// The number of values that one message may have, less the message's own.
  private static let linesPerCallMax = 1_024

  let accessoryCount: Int
  /// The lines of each call; there is at least one.
  let batches: [[String]]

  init(reading path: String) throws(ToolError) {
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

  private static func lines(_ bytes: [UInt8], _ path: String) throws(ToolError) -> [String] {
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

  /// Puts as many lines in each call as fit.
  private static func batches(_ lines: [String], _ path: String) throws(ToolError) -> [[String]] {
    let bytesMax = ClientLimits().callBytesMax - callOverhead
    var batches: [[String]] = [[]]
    var byteCount = 0
    for (place, line) in lines.enumerated() {
      let cost = Self.byteCount(of: line)
      guard cost <= bytesMax else {
        throw .sentence(
          "\(shown(path)): line \(place + 1) is longer than any row; nothing was changed", .dataError)
      }
      let batch = batches.count - 1
      if byteCount + cost > bytesMax || batches[batch].count == linesPerCallMax {
        batches.append([line])
        byteCount = cost
      } else {
        batches[batch].append(line)
        byteCount += cost
      }
    }
    return batches
  }

  /// The bytes of a line as JSON text, with the comma after it.
  private static func byteCount(of line: String) -> Int {
    var json = JSONWriter()
    json.line { $0.member("", line) }
    return json.takeBytes().count
  }
}
