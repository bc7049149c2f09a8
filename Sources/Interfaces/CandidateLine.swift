// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A device or a network that can be chosen: `Candidate` of `io.accessoryd.Operator`, and a part of a line of `pick --json`.
public struct CandidateLine: Equatable, Line {
  /// What tells candidates of a request apart for a person: one that comes back is the same.
  public enum Key: Hashable, Sendable {
    case device(WireAddress)
    case network([UInt8])
  }

  /// The network of a candidate that was found by it.
  public struct Network: Equatable, Sendable {
    /// 1 to 32 bytes.
    public var ssid: AirText
    public var security: NetworkLine.Security

    public init(ssid: AirText, security: NetworkLine.Security) {
      self.ssid = ssid
      self.security = security
    }
  }

  /// From 1; means nothing outside its request.
  public var candidate: UInt32
  public var itemIndex: Int
  /// The item's name, what the app calls it, or the name it has as another app's accessory.
  public var name: String
  public var productImage: String?
  /// What it calls itself.
  public var deviceName: AirText?
  public var key: Key
  /// nil for a device.
  public var network: Network?
  /// dBm of the last report or beacon.
  public var rssi: Int8?
  /// The level that gates decide on; nil for a network.
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
    key = .device(address)
    self.rssi = rssi
    self.filteredRSSI = filteredRSSI
    self.silence = silence
    self.identityDurable = identityDurable
    self.isShared = isShared
  }

  /// A network that can be chosen.
  public init(
    candidate: UInt32, itemIndex: Int, name: String, productImage: String? = nil, network: Network,
    signal: Int8?, silence: Seconds, isShared: Bool
  ) {
    self.candidate = candidate
    self.itemIndex = itemIndex
    self.name = name
    self.productImage = productImage
    key = .network(network.ssid.bytes)
    self.network = network
    rssi = signal
    self.silence = silence
    identityDurable = true
    self.isShared = isShared
  }

  /// nil for a network.
  public var address: WireAddress? {
    if case .device(let address) = key { address } else { nil }
  }

  /// The level that a person sees, in dBm.
  public var level: Int8? { network == nil ? filteredRSSI : rssi }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("candidate", candidate)
    json.member("itemIndex", itemIndex)
    json.member("name", name)
    if let productImage { json.member("productImage", productImage) }
    if let deviceName { json.member("deviceName", deviceName) }
    if let network {
      json.member("ssid", networkName: network.ssid)
      json.member("security", network.security.rawValue)
    } else {
      json.members(address)
    }
    json.member("rssi", rssi)
    if network == nil { json.member("filteredRSSI", filteredRSSI) }
    json.member("silence", silence)
    json.member("isIdentityDurable", identityDurable)
    json.member("isShared", isShared)
  }
}

extension CandidateLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    let index: Int = try line.integer("itemIndex")
    guard index >= 0 else { throw line.error("itemIndex", .unknownValue) }
    if let ssid = try line.airTextIfPresent("ssid") {
      self.init(
        candidate: try line.integer("candidate"), itemIndex: index, name: try line.string("name"),
        productImage: try line.stringIfPresent("productImage"),
        network: Network(
          ssid: ssid, security: try line.value("security", of: NetworkLine.Security.allCases, \.rawValue)),
        signal: try line.integerIfPresent("rssi"), silence: try line.seconds("silence"),
        isShared: try line.bool("isShared"))
      return
    }
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
