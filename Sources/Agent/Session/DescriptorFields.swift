// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Manifest
import Setup

/// A descriptor as apps write it: the properties of `ASDiscoveryDescriptor`, by their names there.
///
/// Byte strings are hexadecimal digits of any case, UUIDs and company identifiers as ``IdentifierText`` takes them.
/// What AccessorySetupKit crashes the app for is refused here, with the field named.
enum DescriptorFields {
  private static let bytesMax = 254
  private static let networkNameBytesMax = 32
  private static let carriedCompareOptions: CompareOptions = [
    .caseInsensitive, .literal, .backwards, .anchored,
  ]

  /// Reads a descriptor that stands at `path` in a call: `items[0].descriptor`.
  static func read(_ object: JSONObject, at path: String) throws(SetupError) -> DiscoveryDescriptor {
    let fields = JSONObjectReader(object, at: path)
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = try fields.number("bluetoothCompanyIdentifier", in: 0...0xFFFF)
    descriptor.manufacturerData = try maskedBytes(fields, "bluetoothManufacturerData")
    descriptor.serviceUUID = try uuid(fields)
    descriptor.serviceData = try maskedBytes(fields, "bluetoothServiceData")
    descriptor.nameSubstring = try fields.bytes(ofText: "bluetoothNameSubstring", in: 1...248)
    descriptor.nameCompareOptions = try compareOptions(fields, "bluetoothNameSubstringCompareOptions")
    descriptor.range = try range(fields)
    let ssidBytes = try fields.hexadecimal("ssidHex", in: 1...networkNameBytesMax)
    descriptor.ssid =
      if let ssidBytes { ssidBytes } else { try fields.bytes(ofText: "ssid", in: 1...networkNameBytesMax) }
    descriptor.ssidPrefix = try fields.bytes(ofText: "ssidPrefix", in: 1...networkNameBytesMax)
    descriptor.wifiAware = try wifiAware(fields)
    descriptor.supportedOptions = try fields.supportedOptions() ?? []
    return descriptor
  }

  /// Holds a descriptor that stands at `path` against the rules of the manifest, what the app declares among them.
  static func check(
    _ descriptor: DiscoveryDescriptor, of app: App, at path: String, isAlternate: Bool = false
  ) throws(SetupError) {
    let diagnostics = ManifestRules.diagnostics(in: descriptor, of: app, isAlternate: isAlternate)
    for diagnostic in diagnostics {
      guard let rule = diagnostic.kind.inCall else { continue }
      // A second identity is only recognised on the air.
      let cure =
        isAlternate && diagnostic.kind == .nothingToLookFor
        ? "add bluetoothCompanyIdentifier or bluetoothServiceUUID" : rule.cure
      throw SetupError(.invalidRequest, field: field(of: diagnostic, at: path), rule.reason, cure: cure)
    }
  }

  private static func field(of diagnostic: ManifestDiagnostic, at path: String) -> String {
    guard case .key(let name)? = diagnostic.path.components.last, let key = DescriptorKey(rawValue: name)
    else {
      return path
    }
    return "\(path).\(key.field)"
  }

  private static func uuid(_ fields: JSONObjectReader) throws(SetupError) -> BluetoothUUID? {
    let name = "bluetoothServiceUUID"
    guard let text = fields.checkedString(name) else { return nil }
    guard let uuid = IdentifierText.serviceUUID(text) else {
      throw fields.failure(name, "this is no UUID", cure: "use 4, 8 or 32 hexadecimal digits")
    }
    return uuid
  }

  /// `…Blob` and `…Mask`: both, of one length, or the blob alone, every bit of which counts then.
  private static func maskedBytes(_ fields: JSONObjectReader, _ name: String) throws(SetupError)
    -> MaskedBytes?
  {
    let blob = try fields.hexadecimal(name + "Blob", in: 1...bytesMax)
    let mask = try fields.hexadecimal(name + "Mask", in: 1...bytesMax)
    guard let blob else {
      guard mask == nil else {
        throw fields.failure(
          name + "Mask", "there is no blob to mask", cure: "add \(name)Blob, or leave it out")
      }
      return nil
    }
    guard let mask else { return MaskedBytes(blob: blob) }
    guard let masked = MaskedBytes(blob: blob, mask: mask) else {
      throw fields.failure(
        name + "Mask", "the mask has \(mask.count) bytes and the blob \(blob.count)",
        cure: "make both the same length")
    }
    return masked
  }

  private static func compareOptions(
    _ fields: JSONObjectReader, _ name: String
  ) throws(SetupError) -> CompareOptions {
    guard let value: UInt = try fields.number(name, in: 0...UInt(UInt32.max)) else { return [] }
    let options = CompareOptions(rawValue: value)
    guard options.isSubset(of: carriedCompareOptions) else {
      throw fields.failure(
        name, "of these options only caseInsensitive 1, literal 2, backwards 4 and anchored 8 are carried",
        cure: "leave out the others")
    }
    return options
  }

  private static func range(_ fields: JSONObjectReader) throws(SetupError) -> DiscoveryDescriptor.Range {
    let name = "bluetoothRange"
    guard let value: Int = try fields.number(name, in: 0...Int(Int32.max)) else { return .default }
    guard let range = DiscoveryDescriptor.Range(rawValue: value) else {
      throw fields.failure(name, "there is no such range", cure: "use default 0 or immediate 10")
    }
    return range
  }
}

// MARK: Wi-Fi Aware

extension DescriptorFields {
  private static let serviceName = "wifiAwareServiceName"
  private static let roleField = "wifiAwareServiceRole"
  private static let textBytes = 1...WiFiAwareService.textBytesMax

  private static func wifiAware(_ fields: JSONObjectReader) throws(SetupError) -> WiFiAwareService? {
    let modelName = try nameMatch(fields, "wifiAwareModelNameMatch")
    let vendorName = try nameMatch(fields, "wifiAwareVendorNameMatch")
    let role = try role(fields)
    guard let name = try fields.bytes(ofText: serviceName, in: textBytes) else {
      let needless = [
        (roleField, role != .subscriber), ("wifiAwareModelNameMatch", modelName != nil),
        ("wifiAwareVendorNameMatch", vendorName != nil),
      ]
      if let field = needless.first(where: { $0.1 })?.0 {
        throw fields.failure(
          field, "it describes a Wi-Fi Aware service, and there is none",
          cure: "add \(serviceName), or leave it out")
      }
      return nil
    }
    var service = WiFiAwareService(serviceName: name)
    service.role = role
    service.modelName = modelName
    service.vendorName = vendorName
    return service
  }

  private static func role(_ fields: JSONObjectReader) throws(SetupError) -> WiFiAwareService.Role {
    guard let value: Int = try fields.number(roleField, in: 0...Int(Int32.max)) else { return .subscriber }
    guard let role = WiFiAwareService.Role(rawValue: value) else {
      throw fields.failure(roleField, "there is no such role", cure: "use subscriber 10 or publisher 20")
    }
    return role
  }

  private static func nameMatch(
    _ fields: JSONObjectReader, _ name: String
  ) throws(SetupError) -> WiFiAwareService.NameMatch? {
    guard let object = fields.checkedObject(name) else { return nil }
    let match = JSONObjectReader(object, at: fields.path(of: name))
    guard let text = try match.bytes(ofText: "string", in: textBytes) else { return nil }
    return WiFiAwareService.NameMatch(
      text: text, compareOptions: try compareOptions(match, "compareOptions"))
  }
}

extension JSONObjectReader {
  /// `supportedOptions`, of a descriptor and of a device that a filtered picker shows.
  func supportedOptions() throws(SetupError) -> SupportOptions? {
    try options(
      "supportedOptions", among: [.bluetoothPairingLE, .bluetoothTransportBridging, .bluetoothHID],
      named: "bluetoothPairingLE 2, bluetoothTransportBridging 4 and bluetoothHID 8")
  }
}
