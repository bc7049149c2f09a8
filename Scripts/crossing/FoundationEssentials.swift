// SPDX-License-Identifier: GPL-3.0-or-later

// A stand-in for the module of this name, for a runtime whose own one the compiler cannot read: it has what
// swift-argument-parser asks for. Encoding always fails, so that --experimental-dump-help prints nothing.

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

public struct Data {}

public struct NoEncodingError: Error {}

public final class JSONEncoder {
  public struct OutputFormatting: OptionSet {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  public var outputFormatting: OutputFormatting = []
  public init() {}
  public func encode(_ value: some Encodable) throws -> Data { throw NoEncodingError() }
}

extension String {
  public enum Encoding { case utf8 }
  public init?(data: Data, encoding: Encoding) { return nil }
}
