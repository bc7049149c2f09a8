// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Manifest
import Registry
import Setup
import Varlink

/// What UpdateAuthorization asks for: clauses about Wi-Fi in `descriptor`, a second identity in `alternate`. Nothing that is
/// there changes.
enum ExtensionFields {
  /// Reads it and holds it against the accessory and what its app declares.
  static func read(
    _ parameters: Parameters, of accessory: RegistryAccessory, app: App
  ) throws(SetupError) -> RegistryExtension {
    let fields = JSONObjectReader(parameters.object, at: "")
    let descriptor = fields.checkedObject("descriptor")
    let alternate = fields.checkedObject("alternate")
    guard descriptor != nil || alternate != nil else {
      throw fields.failure("descriptor", "nothing is asked for", cure: "give descriptor, alternate or both")
    }
    var added = RegistryExtension()
    if let descriptor { added = try networks(descriptor, of: accessory, app: app) }
    if let alternate { added.alternate = try self.alternate(alternate, of: accessory, app: app) }
    guard added != RegistryExtension() else {
      throw fields.failure(
        descriptor != nil ? "descriptor" : "alternate", "the accessory has all of this already",
        cure: "ask for what is not there: ssid, ssidPrefix, wifiAwareServiceName, or another identity")
    }
    return added
  }

  private static func networks(
    _ object: JSONObject, of accessory: RegistryAccessory, app: App
  ) throws(SetupError) -> RegistryExtension {
    let given = JSONObjectReader(object, at: "descriptor")
    let asked = try DescriptorFields.read(object, at: "descriptor")
    let known = accessory.descriptor
    for key in DescriptorKey.allCases where given.names.contains(key.field) && !asked.says(key, as: known) {
      guard known.canGet(key) else {
        throw given.failure(
          key.field, "keys never change, and this is not what the accessory was set up with",
          cure: "leave it out; to look for something else, remove the accessory and set it up again")
      }
    }
    let added = RegistryExtension(
      ssid: known.ssid == nil ? asked.ssid : nil,
      ssidPrefix: known.ssidPrefix == nil ? asked.ssidPrefix : nil,
      wifiAware: known.wifiAware == nil ? asked.wifiAware : nil)
    try checkNetworks(added, beside: known, given, app: app)
    return added
  }

  private static func checkNetworks(
    _ added: RegistryExtension, beside known: DiscoveryDescriptor, _ given: JSONObjectReader, app: App
  ) throws(SetupError) {
    if added.ssid != nil, known.ssidPrefix != nil {
      throw given.failure(
        "ssid", "the accessory has an ssidPrefix, and the two exclude each other",
        cure: "leave it out; FinishAuthorization takes the whole name, if it is not known yet")
    }
    if added.ssidPrefix != nil, known.ssid != nil {
      throw given.failure(
        "ssidPrefix", "the accessory has an ssid, and the two exclude each other", cure: "leave it out")
    }
    // What the accessory was set up with is not asked for again.
    var addition = DiscoveryDescriptor()
    addition.ssid = added.ssid
    addition.ssidPrefix = added.ssidPrefix
    addition.wifiAware = added.wifiAware
    guard addition != DiscoveryDescriptor() else { return }
    try DescriptorFields.check(addition, of: app, at: "descriptor")
  }

  private static func alternate(
    _ object: JSONObject, of accessory: RegistryAccessory, app: App
  ) throws(SetupError) -> DiscoveryDescriptor? {
    let alternate = try DescriptorFields.read(object, at: "alternate")
    try DescriptorFields.check(alternate, of: app, at: "alternate", isAlternate: true)
    guard let known = accessory.alternate else { return alternate }
    guard known == alternate else {
      throw SetupError(
        .invalidRequest, field: "alternate", "the accessory has another second identity already",
        cure: "keys never change; remove the accessory and set it up again")
    }
    return nil
  }
}

extension DiscoveryDescriptor {
  /// Whether a field may still be added, because there is none.
  fileprivate func canGet(_ key: DescriptorKey) -> Bool {
    switch key {
    case .ssid, .ssidHex: ssid == nil
    case .ssidPrefix, .ssidPrefixHex: ssidPrefix == nil
    case .wifiAwareServiceName, .wifiAwareServiceRole, .wifiAwareModelName, .wifiAwareModelNameCompareOptions,
      .wifiAwareVendorName, .wifiAwareVendorNameCompareOptions:
      wifiAware == nil
    default: false
    }
  }

  /// Whether a field has the same value in both.
  fileprivate func says(_ key: DescriptorKey, as other: Self) -> Bool {
    switch key {
    case .companyIdentifier: companyIdentifier == other.companyIdentifier
    case .manufacturerDataBlob: manufacturerData?.blob == other.manufacturerData?.blob
    case .manufacturerDataMask: manufacturerData?.mask == other.manufacturerData?.mask
    case .serviceUUID: serviceUUID == other.serviceUUID
    case .serviceDataBlob: serviceData?.blob == other.serviceData?.blob
    case .serviceDataMask: serviceData?.mask == other.serviceData?.mask
    case .nameSubstring, .namePrefix: nameSubstring == other.nameSubstring
    case .nameCompareOptions: nameCompareOptions == other.nameCompareOptions
    case .addressPrefix: addressPrefix == other.addressPrefix
    case .range: range == other.range
    case .ssid, .ssidHex: ssid == other.ssid
    case .ssidPrefix, .ssidPrefixHex: ssidPrefix == other.ssidPrefix
    case .wifiAwareServiceName: wifiAware?.serviceName == other.wifiAware?.serviceName
    case .wifiAwareServiceRole: wifiAware?.role == other.wifiAware?.role
    case .wifiAwareModelName, .wifiAwareModelNameCompareOptions:
      wifiAware?.modelName == other.wifiAware?.modelName
    case .wifiAwareVendorName, .wifiAwareVendorNameCompareOptions:
      wifiAware?.vendorName == other.wifiAware?.vendorName
    case .supportedOptions: supportedOptions == other.supportedOptions
    }
  }
}
