// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
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
    descriptor.nameCompareOptions = try compareOptions(fields)
    descriptor.range = try range(fields)
    descriptor.ssid = try fields.bytes(ofText: "ssid", in: 1...networkNameBytesMax)
    descriptor.ssidPrefix = try fields.bytes(ofText: "ssidPrefix", in: 1...networkNameBytesMax)
    descriptor.supportedOptions = try fields.supportedOptions() ?? []
    return descriptor
  }

  /// Holds a descriptor that stands at `path` against the rules of the manifest, what the app declares among them.
  static func check(
    _ descriptor: DiscoveryDescriptor, of app: App, at path: String, isAlternate: Bool = false
  ) throws(SetupError) {
    let diagnostics = ManifestRules.diagnostics(in: descriptor, of: app, isAlternate: isAlternate)
    let failures = diagnostics.lazy.compactMap { $0.failure(at: path, isAlternate: isAlternate) }
    if let failure = failures.first { throw failure }
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

  private static func compareOptions(_ fields: JSONObjectReader) throws(SetupError) -> CompareOptions {
    let name = "bluetoothNameSubstringCompareOptions"
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

extension JSONObjectReader {
  /// `supportedOptions`, of a descriptor and of a device that a filtered picker shows.
  func supportedOptions() throws(SetupError) -> SupportOptions? {
    try options(
      "supportedOptions", among: [.bluetoothPairingLE, .bluetoothTransportBridging, .bluetoothHID],
      named: "bluetoothPairingLE 2, bluetoothTransportBridging 4 and bluetoothHID 8")
  }
}

extension DescriptorKey {
  /// What AccessorySetupKit calls it, and ``DescriptorFields`` with it.
  var field: String {
    switch self {
    case .companyIdentifier: "bluetoothCompanyIdentifier"
    case .manufacturerDataBlob: "bluetoothManufacturerDataBlob"
    case .manufacturerDataMask: "bluetoothManufacturerDataMask"
    case .serviceUUID: "bluetoothServiceUUID"
    case .serviceDataBlob: "bluetoothServiceDataBlob"
    case .serviceDataMask: "bluetoothServiceDataMask"
    case .nameSubstring: "bluetoothNameSubstring"
    case .nameCompareOptions: "bluetoothNameSubstringCompareOptions"
    case .namePrefix: "bluetoothNameSubstring"
    case .addressPrefix: "bluetoothAddressPrefix"
    case .range: "bluetoothRange"
    case .ssid: "ssid"
    case .ssidPrefix: "ssidPrefix"
    case .supportedOptions: "supportedOptions"
    }
  }
}
