// SPDX-License-Identifier: GPL-3.0-or-later

// A stand-in for the module of this name, for a runtime whose own one the compiler cannot read: it has what
// swift-argument-parser asks for. Encoding always fails, so that --experimental-dump-help prints nothing. It serves the
// tests of arm64 only: what is shipped has Foundation itself (Scripts/cross --runtime, --swift-sdk).

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

public struct Data {}

public struct NoEncodingError: Error {}

open class JSONEncoder {
  public struct OutputFormatting: OptionSet {
    public let rawValue: UInt
    @inlinable public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  open var outputFormatting: OutputFormatting = []
  public init() {}
  open func encode<T: Encodable>(_ value: T) throws -> Data { throw NoEncodingError() }
}

extension String {
  public struct Encoding {
    public static let utf8 = Encoding()
  }

  public init?(data: __shared Data, encoding: Encoding) { return nil }
}
