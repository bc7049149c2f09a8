// SPDX-License-Identifier: GPL-3.0-or-later

/// A message for the broker, or from it.
public struct MQTTMessage: Equatable, Sendable {
  public let topic: String
  /// Empty for a retained topic that is removed.
  public let payload: [UInt8]
  public let isRetained: Bool

  public init(_ topic: String, _ payload: [UInt8], retained isRetained: Bool = false) {
    (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
  }
}

/// The topics of a gateway.
struct MQTTTopics: Equatable, Sendable {
  let gateway: String
  /// What the gateway's topics begin with.
  let base: String
  let discovery: String?

  init(_ configuration: MQTTConfiguration, host: String) {
    gateway = configuration.name ?? host
    base = "\(configuration.base)/\(gateway)"
    discovery = configuration.discovery
  }

  var availability: String { "\(base)/availability" }
  var status: String { "\(base)/status" }
  var event: String { "\(base)/event" }
  var reset: String { "\(base)/reset" }
  var missed: String { "\(base)/missed" }
  var result: String { "\(base)/result" }
  var undecoded: String { "home/\(gateway)/BTtoMQTT/undecoded" }

  func state(_ accessory: String) -> String { "\(base)/accessory/\(accessory)/state" }
  func values(_ accessory: String) -> String { "\(base)/accessory/\(accessory)/values" }

  /// The device's configuration for Home Assistant; nil without its discovery.
  func device(_ accessory: String) -> String? {
    discovery.map { "\($0)/device/accessoryd_\(accessory)/config" }
  }

  /// Where Home Assistant says that it has started.
  var discoveryStatus: String? { discovery.map { "\($0)/status" } }

  /// Topics of accessories that the broker may still have from an earlier run.
  var retainedFilters: [String] { ["\(base)/accessory/+/state", "\(base)/accessory/+/values"] }

  /// The accessory whose retained topic it is.
  func accessory(ofRetained topic: String) -> String? {
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, topic.hasPrefix("\(base)/accessory/"),
      ["state", "values"].contains(parts[parts.count - 1])
    else { return nil }
    return String(parts[parts.count - 2])
  }

  var commandFilter: String { "\(base)/command/+" }

  /// The name of the command for which the topic is.
  func commandName(of topic: String) -> String? {
    let prefix = "\(base)/command/"
    return topic.hasPrefix(prefix) ? String(topic.dropFirst(prefix.count)) : nil
  }
}
