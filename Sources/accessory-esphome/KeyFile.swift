// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import ESPHome
import LinuxSystem

/// The file with the gateway's key, which only its owner reads.
struct KeyFile {
  private static let byteCountMax = 4096
  private static let othersMode: UInt32 = 0o077
  private static let permissions: UInt32 = 0o777

  let path: String

  /// Nil when there is no file.
  func read() throws(ProgramError) -> GatewayKey? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileContents(ofFile: path, byteCountMax: Self.byteCountMax).bytes
    } catch {
      guard let failure = failure(of: error) else { return nil }
      throw failure
    }
    let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined()
    do throws(GatewayKeyError) { return try GatewayKey(parsing: text) } catch {
      throw invalid(error.sentence)
    }
  }

  func write(_ key: GatewayKey) throws(ProgramError) {
    do throws(SystemError) { try DurableFile.replace(path, with: Array("\(key.text)\n".utf8)) } catch {
      throw .failure(
        .cannotCreate, "\(path): the key cannot be written: \(error.reason)\(folderCure(error))")
    }
  }

  /// Reads the key; one that is not there yet is made.
  func readOrMake() throws(ProgramError) -> GatewayKey {
    if let key = try read() { return key }
    let key = GatewayKey.random()
    try write(key)
    return key
  }

  /// What to say when other accounts may read the key.
  var exposure: String? {
    guard let status = try? DurableFile.status(of: path), status.mode & Self.othersMode != 0 else {
      return nil
    }
    let mode = String(status.mode & Self.permissions, radix: 8)
    return "\(path): other accounts may read the key, with mode \(mode): chmod 600 \(path)"
  }

  // MARK: - What goes wrong

  private static let replacement =
    "start the service again: it makes a new key, which Home Assistant then asks for"

  /// Nil when there is no file.
  private func failure(of error: FileError) -> ProgramError? {
    switch error {
    case .isDirectory, .isNotOrdinary:
      invalid("it is not a file of text")
    case .tooLarge(let byteCountMax):
      invalid("the file has more than \(byteCountMax) bytes, where a key has 44 characters")
    case .system(let error) where error.isMissing: nil
    case .system(let error) where error.isPermission: .failure(.noPermission, "\(path): \(permissionCure)")
    case .system(let error): .failure(.noInput, "\(path): the key cannot be read: \(error.reason)")
    }
  }

  private func invalid(_ reason: String) -> ProgramError {
    .failure(.dataError, "\(path): this is not a key: \(reason). Move it away and \(Self.replacement)")
  }

  private var permissionCure: String {
    let user = ThisProcess.user
    guard let status = try? DurableFile.status(of: path) else {
      return "user \(user) may not read the key; run it as root"
    }
    guard status.owner != user else {
      return "its mode does not let its owner read the key: chmod 600 \(path)"
    }
    return
      "the key belongs to user \(status.owner), and user \(user) may not read it; if that is the service's account: "
      + "chown \(user) \(path); otherwise run it as root"
  }

  private func folderCure(_ error: SystemError) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let user = ThisProcess.user
    if error.isMissing {
      return "; make its folder: install -d -m 700 -o \(user) \(folder), or give another: --state FOLDER"
    }
    return error.isPermission ? "; give its folder to the account: chown \(user) \(folder)" : ""
  }
}

extension GatewayKeyError {
  fileprivate var sentence: String {
    switch self {
    case .notBase64(let count): "its \(count) characters are not base64, of which a key has 44"
    case .byteCount(let count): "it decodes to \(count) byte\(count == 1 ? "" : "s"), where a key has 32"
    case .zeros: "it is 32 zero bytes, which clients try when they know no key"
    }
  }
}
