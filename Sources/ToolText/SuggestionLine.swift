// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
public import JSON

/// An item that finds devices like one that was heard: a line of `suggest --json`
/// (`Config/schema/suggest.schema.json`), and a suggestion of `io.accessoryd.Gateway`.
public struct SuggestionLine: Equatable, Line {
  public let address: DeviceAddress
  public let reportCount: Int
  /// A whole manifest with the item.
  public let toml: String

  public init(_ suggestion: Suggestion) {
    address = suggestion.address
    reportCount = suggestion.reportCount
    toml = suggestion.toml
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("address", address.text)
    json.member("addressType", address.type.text)
    json.member("reports", reportCount)
    json.member("toml", toml)
  }
}

extension SuggestionLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    address = try line.address()
    reportCount = try line.integer("reports")
    toml = try line.plainText("toml")
  }
}
