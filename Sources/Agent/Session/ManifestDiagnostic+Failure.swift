// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Setup

/// The errors that the rules for descriptors find in a call, in sentences for the app's author.
extension ManifestDiagnostic {
  /// The error for a descriptor at `base` in a call, where the diagnostic's path begins; nil for warnings, and for
  /// diagnostics that are not about descriptors.
  func failure(at base: String, isAlternate: Bool) -> SetupError? {
    guard let (reason, cure) = kind.sentences(isAlternate: isAlternate) else { return nil }
    return SetupError(.invalidRequest, field: field(in: base), reason, cure: cure)
  }

  private func field(in base: String) -> String {
    guard case .key(let name)? = path.components.last, let key = DescriptorKey(rawValue: name) else {
      return base
    }
    return "\(base).\(key.field)"
  }
}

extension ManifestDiagnostic.Kind {
  fileprivate func sentences(isAlternate: Bool) -> (reason: String, cure: String)? {
    switch self {
    case .clauses(let problem): problem.sentences(isAlternate: isAlternate)
    case .undeclared(let declaration): declaration.sentences
    // Of items and of the manifest around them, or no refusal.
    case .setup, .contradiction, .overflowAccount, .warning: nil
    }
  }
}

extension ManifestDiagnostic.Clauses {
  fileprivate func sentences(isAlternate: Bool) -> (reason: String, cure: String) {
    switch self {
    case .none:
      (
        "nothing says what to look for",
        isAlternate
          ? "add bluetoothCompanyIdentifier or bluetoothServiceUUID"
          : "add bluetoothCompanyIdentifier, bluetoothServiceUUID, ssid or ssidPrefix"
      )
    case .nameAlone:
      ("a name alone matches unknown devices too", "add bluetoothCompanyIdentifier or bluetoothServiceUUID")
    case .addressAlone:
      (
        "an address says nothing about a device's kind",
        "add bluetoothCompanyIdentifier or bluetoothServiceUUID"
      )
    case .manufacturerDataWithoutCompanyIdentifier:
      ("manufacturer data follows a company identifier", "add bluetoothCompanyIdentifier")
    case .serviceDataWithoutServiceUUID:
      ("service data follows a service UUID", "add bluetoothServiceUUID")
    case .compareOptionsWithoutName:
      ("there is no name to compare", "add bluetoothNameSubstring, or leave the options out")
    case .bothNetworkNames: ("ssid and ssidPrefix exclude each other", "keep one of them")
    case .needBluetooth(let key):
      (
        "\(key.field) is about Bluetooth, and the descriptor has no Bluetooth clause",
        "leave it out, or add a clause"
      )
    case .notForAlternate(let key):
      ("a second identity is only recognised on the air", "leave \(key.field) out")
    }
  }
}

extension ManifestDiagnostic.Declaration {
  fileprivate var sentences: (reason: String, cure: String) {
    switch self {
    case .companyIdentifier(let company):
      (
        "the app does not declare the company \(Hex.company(company))",
        "add it to the app's bluetooth-company-identifiers in the manifest"
      )
    case .service(let uuid):
      (
        "the app does not declare the service \(IdentifierText.text(of: uuid))",
        "add it to the app's bluetooth-services in the manifest"
      )
    case .name(let name):
      (
        "the app does not declare the name \(name.quotedForDisplay) exactly",
        "add it to the app's bluetooth-names in the manifest"
      )
    case .technology(let technology):
      (
        "the app does not declare \(technology.rawValue)",
        "add \"\(technology.rawValue)\" to the app's supports in the manifest"
      )
    }
  }
}
