// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces
public import JSON
public import Manifest

/// Why a network's name does or does not match an item: a line of `explain --network --json` and `try --json`
/// (`Config/schema/explain-network.schema.json`).
public struct NetworkExplanation: Equatable, Line {
  public let ssid: AirText
  public let app: String
  public let item: String
  /// The item looks for the name.
  public let holds: Bool
  /// The item has found the network.
  public let isFound: Bool
  public let key: DescriptorKey
  public let wanted: AirText
  /// The index of the first byte that differs or is missing, from 0; nil when there is none.
  public let firstDifference: Int?
  /// dBm; nil when the network is not in sight, or the interface does not say.
  public let signal: Int8?
  /// The answer in a few words.
  public let why: String

  public func writeMembers(to json: inout JSONWriter) {
    json.member("ssid", networkName: ssid)
    json.member("app", app)
    json.member("item", item)
    json.member("matches", holds)
    json.member("isFound", isFound)
    json.member("signal", signal)
    json.member("clause", key.rawValue)
    json.member("wanted", networkName: wanted)
    if let firstDifference { json.member("firstDifference", firstDifference) }
    json.member("why", why)
  }
}

extension NetworkExplanation {
  /// Compares a name with an item; nil for an item without a network. `line` is the network in sight with the name.
  public init?(of name: [UInt8], _ entry: ManifestItem, _ line: NetworkLine?) {
    let descriptor = entry.item.descriptor
    guard let wanted = descriptor.ssid ?? descriptor.ssidPrefix else { return nil }
    let isWhole = descriptor.ssid != nil
    let difference = Self.firstDifference(of: name, from: wanted, isWhole: isWhole)
    ssid = AirText(name)
    app = entry.app
    item = entry.item.id
    holds = difference == nil && descriptor.isFoundByNetwork
    isFound = line?.items.contains { $0.app == entry.app && $0.item == entry.item.id && $0.isFound } ?? false
    signal = line?.signal
    key = isWhole ? .ssid : .ssidPrefix
    self.wanted = AirText(wanted)
    firstDifference = difference
    if let difference {
      why = Self.sentence(forDifference: difference, of: name, from: wanted)
    } else if !descriptor.isFoundByNetwork {
      why = "the item is found by Bluetooth; no network is looked for"
    } else if isFound {
      why = "found"
    } else {
      why =
        line.map {
          "the name matches; the network was last seen \($0.silence.microseconds / 1_000_000) s ago"
        }
        ?? "the name matches; no such network is in sight"
    }
  }

  private static func firstDifference(of name: [UInt8], from wanted: [UInt8], isWhole: Bool) -> Int? {
    if let index = zip(name, wanted).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
      return index
    }
    return name.count < wanted.count || isWhole && name.count > wanted.count
      ? min(name.count, wanted.count) : nil
  }

  private static func sentence(forDifference index: Int, of name: [UInt8], from wanted: [UInt8]) -> String {
    if index == name.count { return "the name ends after \(index) bytes, before the wanted one does" }
    if index == wanted.count { return "the name goes on after the wanted one" }
    return "the name differs at byte \(index + 1)"
  }
}
