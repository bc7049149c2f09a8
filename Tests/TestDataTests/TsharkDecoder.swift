// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Glibc

/// tshark, an independent decoder of captures.
struct TsharkDecoder: Sendable {
  let executable: String

  /// tshark, when it is installed.
  static let tshark: TsharkDecoder? =
    ["/usr/bin/tshark", "/usr/local/bin/tshark"].first { FileManager.default.isExecutableFile(atPath: $0) }
    .map(TsharkDecoder.init)

  enum TsharkError: Error {
    case cannotStart
    case status(Int32)
  }

  /// Reports per advertiser, by address in lower case.
  func reportCounts(of path: String) throws -> [String: Int] {
    let subevents = ["0x02", "0x0b", "0x0d"].map { "bthci_evt.le_meta_subevent==\($0)" }
    let text = try output([
      "-r", path, "-Y", subevents.joined(separator: "||"), "-T", "fields", "-E", "occurrence=a",
      "-e", "bthci_evt.bd_addr",
    ])
    var counts: [String: Int] = [:]
    for address in text.split(whereSeparator: { $0 == "\n" || $0 == "," }) {
      counts[String(address), default: 0] += 1
    }
    return counts
  }

  /// The output of the program, without standard error.
  private func output(_ arguments: [String]) throws -> String {
    let command = ([executable] + arguments).map { "'\($0)'" }.joined(separator: " ") + " 2>/dev/null"
    guard let stream = unsafe popen(command, "r") else { throw TsharkError.cannotStart }
    var bytes: [UInt8] = []
    while case let byte = unsafe fgetc(stream), byte != EOF { bytes.append(UInt8(byte)) }
    let status = unsafe pclose(stream)
    guard status == 0 else { throw TsharkError.status(status) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
