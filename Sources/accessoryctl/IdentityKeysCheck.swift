// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Interfaces
import JSON
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat
import ToolText

/// What is wrong with the identity keys that a manifest names: nothing where there are none, or where the caller may not
/// read a file that its owner alone may read.
struct IdentityKeysCheck {
  private(set) var path = ""
  private(set) var diagnostics: [Diagnostic] = []

  /// Asks the agent for the addresses in sight; without an agent, the file alone is checked.
  init(of manifest: ManifestCheck, _ gateway: GatewayOptions) {
    guard let path = manifest.identityKeysPath else { return }
    self.path = path
    let file: ConfigurationFile
    do throws(ToolError) { file = try ConfigurationFile(reading: path) } catch {
      guard case .file(path: _, let problem) = error else { return }
      if case .system(let reason) = problem, reason.isPermission { return }
      diagnostics = [Diagnostic(wholeFile: "this cannot be read: \(problem.sentence)")]
      return
    }
    if let error = file.keysProtectionError { diagnostics = [Diagnostic(wholeFile: error.sentence)] }
    let reading = IdentityKeysReader.read(text: file.text, fileName: path)
    diagnostics += reading.diagnostics
    guard let keys = reading.value, !keys.isEmpty else { return }
    let devices = Result { () throws(ToolError) in
      try gateway.callForList(GatewayMethodName.sightings, GatewayCall(all: true).write) {
        line throws(JSONMemberError) -> DeviceLine? in try line.lineIfPresent("device")
      }
    }
    for device in (try? devices.get()) ?? [] {
      let address = device.address
      guard let key = keys.first(where: { $0.reversed.resolves(address) }), let text = device.address.text
      else {
        continue
      }
      diagnostics.append(
        Diagnostic(
          severity: .warning,
          message: ReversedKey.sentence(AddressText.text(of: key.identity.bits), resolves: text)))
    }
  }

  var hasError: Bool { diagnostics.contains { $0.severity == .error } }
}

/// An identity key whose bytes stand in the reverse order.
enum ReversedKey {
  static func sentence(_ identity: String, resolves address: String) -> String {
    "the key of \(identity) resolves \(address), which is in sight, only with its bytes in the reverse order; "
      + "reverse them in irk, the most significant byte first"
  }

  static func say(_ identity: String, resolves address: String?) {
    StandardError.say(sentence(identity, resolves: address ?? "the address"))
  }
}
