// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An item that finds devices like one that was heard: a line of `suggest --json`
/// (`Config/schema/suggest.schema.json`), and a suggestion of `io.accessoryd.Gateway`.
public struct SuggestionLine: Equatable, Line {
  public let address: WireAddress
  public let reportCount: Int
  /// What the operator should know before the item is used, in sentences.
  public let warnings: [String]
  /// A whole manifest with the item.
  public let toml: String

  public init(address: WireAddress, reportCount: Int, warnings: [String], toml: String) {
    self.address = address
    self.reportCount = reportCount
    self.warnings = warnings
    self.toml = toml
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.members(address)
    json.member("reports", reportCount)
    json.member("warnings", warnings)
    json.member("toml", toml)
  }
}

extension SuggestionLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      address: try line.address(), reportCount: try line.integer("reports"),
      warnings: try line.strings("warnings"), toml: try line.plainText("toml"))
  }
}
