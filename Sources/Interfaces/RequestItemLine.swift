// SPDX-License-Identifier: Apache-2.0

public import JSON

/// What a request looks for: `Item` of `io.accessoryd.Operator`.
public struct RequestItemLine: Equatable, Line {
  /// Its id in the manifest; nil when the app supplied it.
  public var item: String?
  public var name: String
  public var productImage: String?
  public var rename: Bool
  public var confirmAuthorization: Bool
  public var finishInApp: Bool
  /// A device has to be held at the gateway.
  public var immediate: Bool
  /// The chosen device's network is known by its beginning only; nil for an item that is found by its network.
  public var ssidPrefix: String?
  /// How a name that is typed at setup begins, because it is also the name of the network.
  public var namePrefix: String?
  /// Nothing is looked for: the app knew its device before.
  public var isMigration: Bool
  /// How the device will be paired; nil when it will not be.
  public var pairing: PairingDemandName?
  /// Its candidates are networks.
  public var isFoundByNetwork = false
  /// Why nothing is found by it, now or ever, and what would help, as a sentence without its subject; nil when it can
  /// have candidates.
  public var reasonNothingIsFound: String?

  public init(
    item: String?, name: String, productImage: String? = nil, rename: Bool = false,
    confirmAuthorization: Bool = false, finishInApp: Bool = false, immediate: Bool = false,
    ssidPrefix: String? = nil, namePrefix: String? = nil, isMigration: Bool = false
  ) {
    self.item = item
    self.name = name
    self.productImage = productImage
    self.rename = rename
    self.confirmAuthorization = confirmAuthorization
    self.finishInApp = finishInApp
    self.immediate = immediate
    self.ssidPrefix = ssidPrefix
    self.namePrefix = namePrefix
    self.isMigration = isMigration
  }

  public func writeMembers(to json: inout JSONWriter) {
    if let item { json.member("item", item) }
    json.member("name", name)
    if let productImage { json.member("productImage", productImage) }
    json.member("asksForName", rename)
    json.member("confirmsAuthorization", confirmAuthorization)
    json.member("finishesInApp", finishInApp)
    json.member("isImmediate", immediate)
    if let ssidPrefix { json.member("ssidPrefix", ssidPrefix) }
    if let namePrefix { json.member("namePrefix", namePrefix) }
    if isFoundByNetwork { json.member("isFoundByNetwork", true) }
    if let reasonNothingIsFound { json.member("reasonNothingIsFound", reasonNothingIsFound) }
    if isMigration { json.member("isMigration", true) }
    if let pairing { json.member("pairing", pairing.rawValue) }
  }
}

extension RequestItemLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      item: try line.stringIfPresent("item"), name: try line.string("name"),
      productImage: try line.stringIfPresent("productImage"), rename: try line.bool("asksForName"),
      confirmAuthorization: try line.bool("confirmsAuthorization"),
      finishInApp: try line.bool("finishesInApp"), immediate: try line.bool("isImmediate"),
      ssidPrefix: try line.stringIfPresent("ssidPrefix"),
      namePrefix: try line.stringIfPresent("namePrefix"),
      isMigration: try line.boolIfPresent("isMigration") ?? false)
    isFoundByNetwork = try line.boolIfPresent("isFoundByNetwork") ?? false
    reasonNothingIsFound = try line.stringIfPresent("reasonNothingIsFound")
    pairing = try line.valueIfPresent("pairing", of: PairingDemandName.allCases, \.rawValue)
  }
}
