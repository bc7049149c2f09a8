// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import ESPHome
import Glibc
import Interfaces
import LinuxSystem
import QRCode
import ToolSystem

/// The program `accessory-esphome`.
@main
enum Program {
  static func main() { exit(BridgeProgram.run("accessory-esphome", performCommand).rawValue) }

  private static func performCommand(_ options: Options) throws(ProgramError) {
    let file = KeyFile(path: options.keyPath)
    switch options.command {
    case .run:
      let key = options.isPlaintext ? nil : try file.readOrMake()
      if key != nil, let exposure = file.exposure { BridgeLog().say(.warning, exposure) }
      try Server(options, key: key).run()
    case .key:
      guard let key = try file.read() else {
        throw .failure(.noInput, "\(file.path): there is no key yet; start the service: it makes one")
      }
      print(key.text)
      if OutputFile.standardOutput().isTerminal {
        for line in QRCode(key.text)?.lines ?? [] { print(line) }
      }
    case .enrol: try Control.enrol(at: options.controlPath)
    }
  }
}

/// The socket by which the command `enrol` reaches the service.
enum Control {
  static let mode: UInt32 = 0o600
  private static let word = "enrol\n"

  static func enrol(at path: String) throws(ProgramError) {
    do throws(SystemError) {
      let socket = try UnixConnection.open(path: path)
      _ = try socket.write(Array(word.utf8)[...])
      _ = try Polling.wait([Polling.Entry(socket.number, .readable)], until: try .now().advanced(seconds: 5))
      var buffer = [UInt8](repeating: 0, count: 1024)
      guard let count = try socket.read(into: &buffer), count > 0 else {
        throw SystemError(.read, code: ETIMEDOUT)
      }
      print(String(decoding: buffer[..<count], as: UTF8.self), terminator: "")
    } catch {
      if error.isPermission { throw .failure(.noPermission, "only root and the service's account may enrol") }
      throw .failure(
        .unavailable,
        "the service does not reply at \(path) (\(error.reason)); start it: "
          + "systemctl start accessory-esphome")
    }
  }

  static func isEnrolment(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.elementsEqual(word.utf8) }

  static let reply = """
    For ten minutes the gateway takes the key of the first Home Assistant that adds it, and speaks with new clients without
    encryption. Clients that are connected now stay, and get reports. A client that connects meanwhile gets none, and one
    that has the gateway's key is refused: it comes back when the ten minutes are over. A key that is given ends them, and
    all other clients need it.

    """
}
