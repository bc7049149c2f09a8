// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import ESPHome
import LinuxSystem

/// The file with the gateway's key, which only its owner reads.
struct KeyFile {
  private static let byteCountMax = 4096

  let path: String

  /// Nil when there is no file.
  func read() throws(ProgramError) -> GatewayKey? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try DurableFile.contents(of: path, byteCountMax: Self.byteCountMax)
    } catch {
      if error.isMissing { return nil }
      if error.isPermission {
        throw .failure(.noPermission, "\(path): you may not read the key; run it as root")
      }
      throw .failure(.noInput, "\(path): the key cannot be read: \(error.reason)")
    }
    let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined()
    guard let key = GatewayKey(text: text) else {
      throw .failure(
        .dataError,
        "\(path): this is no key: \(text.utf8.count) characters, where a key has 44, of base64. Remove the file and start "
          + "the service again: it makes a new key, which Home Assistant then asks for")
    }
    return key
  }

  func write(_ key: GatewayKey) throws(ProgramError) {
    do throws(SystemError) { try DurableFile.replace(path, with: Array("\(key.text)\n".utf8)) } catch {
      throw .failure(.cannotCreate, "\(path): the key cannot be written: \(error.reason)")
    }
  }

  /// Reads the key; one that is not there yet is made.
  func readOrMake() throws(ProgramError) -> GatewayKey {
    if let key = try read() { return key }
    let key = GatewayKey.random()
    try write(key)
    return key
  }
}
