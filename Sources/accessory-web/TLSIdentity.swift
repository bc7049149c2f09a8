// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import CMicrohttpd
import LinuxSystem
import Values

/// The key and the certificate of the page, as texts (PEM).
struct TLSIdentity {
  let key: String
  let certificate: String

  private static let byteCountMax = 1 << 16

  private init(keyText: String, certificateText: String) { (key, certificate) = (keyText, certificateText) }

  /// Reads files of the host's administrator.
  init(key keyPath: String, certificate certificatePath: String) throws(ProgramError) {
    key = try Self.text(keyPath)
    certificate = try Self.text(certificatePath)
    guard fingerprint != nil else {
      throw .failure(.dataError, "\(certificatePath) has no certificate; it needs one in PEM")
    }
  }

  /// Reads what the program has made, or makes it: for `names`, in a folder that only its account may read.
  static func made(in folder: String, names: [String]) throws(ProgramError) -> TLSIdentity {
    let (keyPath, certificatePath) = ("\(folder)/key.pem", "\(folder)/certificate.pem")
    guard FileName.content(of: keyPath) == .nothing else {
      return try TLSIdentity(key: keyPath, certificate: certificatePath)
    }
    var keyText = [CChar](repeating: 0, count: Int(CWEB_PEM_MAX))
    var certificateText = keyText
    // Holds: the call fills both buffers, whose size it knows, and ends them with a zero.
    let status = unsafe cweb_make_certificate(names.joined(separator: " "), &keyText, &certificateText)
    guard status == 0 else {
      let reason = unsafe String(cString: cweb_reason(status))
      throw .failure(
        .unavailable, "no certificate can be made: \(reason); name your own with --certificate and --key")
    }
    let identity = TLSIdentity(keyText: text(keyText), certificateText: text(certificateText))
    do throws(SystemError) {
      try DurableFile.replace(certificatePath, with: Array(identity.certificate.utf8))
      try DurableFile.replace(keyPath, with: Array(identity.key.utf8))
      return identity
    } catch {
      throw .failure(
        .cannotCreate,
        "the certificate cannot be kept in \(folder): \(error.reason); give another folder: --state FOLDER")
    }
  }

  private static func text(_ path: String) throws(ProgramError) -> String {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try DurableFile.contents(of: path, byteCountMax: byteCountMax) } catch {
      throw .failure(error.isPermission ? .noPermission : .noInput, "\(path) cannot be read: \(error.reason)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .failure(.dataError, "\(path) is no text; it needs PEM")
    }
    return text
  }

  private static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The SHA-256 digest of the certificate, as browsers show it; nil when there is none.
  var fingerprint: String? {
    var digest = [UInt8](repeating: 0, count: 32)
    // Holds: the call fills 32 bytes.
    guard unsafe cweb_fingerprint(certificate, &digest) == 0 else { return nil }
    return digest.map { Hex([$0]).text.uppercased() }.joined(separator: ":")
  }
}
