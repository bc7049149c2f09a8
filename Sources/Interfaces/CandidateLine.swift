// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A device that can be chosen: `Candidate` of `io.accessoryd.Operator`, and a part of a line of `pick --json`.
public struct CandidateLine: Equatable, Line {
  /// From 1; means nothing outside its request.
  public var candidate: UInt32
  public var itemIndex: Int
  /// The item's name, what the app calls it, or the name it has as another app's accessory.
  public var name: String
  public var productImage: String?
  /// What it calls itself.
  public var deviceName: AirText?
  public var address: WireAddress
  /// dBm of the last report, and the level that gates decide on.
  public var rssi: Int8?
  public var filteredRSSI: Int8?
  /// Since it was heard.
  public var silence: Seconds
  /// Whether it will be known again.
  public var identityDurable: Bool
  /// Another app has it already.
  public var isShared: Bool

  public init(
    candidate: UInt32, itemIndex: Int, name: String, productImage: String? = nil, deviceName: AirText?,
    address: WireAddress, rssi: Int8?, filteredRSSI: Int8?, silence: Seconds, identityDurable: Bool,
    isShared: Bool
  ) {
    self.candidate = candidate
    self.itemIndex = itemIndex
    self.name = name
    self.productImage = productImage
    self.deviceName = deviceName
    self.address = address
    self.rssi = rssi
    self.filteredRSSI = filteredRSSI
    self.silence = silence
    self.identityDurable = identityDurable
    self.isShared = isShared
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("candidate", candidate)
    json.member("itemIndex", itemIndex)
    json.member("name", name)
    if let productImage { json.member("productImage", productImage) }
    if let deviceName { json.member("deviceName", deviceName) }
    json.members(address)
    json.member("rssi", rssi)
    json.member("filteredRSSI", filteredRSSI)
    json.member("silence", silence)
    json.member("isIdentityDurable", identityDurable)
    json.member("isShared", isShared)
  }
}

extension CandidateLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    let index: Int = try line.integer("itemIndex")
    guard index >= 0 else { throw line.error("itemIndex", .unknownValue) }
    self.init(
      candidate: try line.integer("candidate"), itemIndex: index, name: try line.string("name"),
      productImage: try line.stringIfPresent("productImage"),
      deviceName: try line.airTextIfPresent("deviceName"),
      // A device without an address could not be found again.
      address: try line.knownAddress(), rssi: try line.integerIfPresent("rssi"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"), silence: try line.seconds("silence"),
      identityDurable: try line.bool("isIdentityDurable"), isShared: try line.bool("isShared"))
  }
}
