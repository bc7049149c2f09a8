// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a device that was held at the gateway was not set up, as a sentence for operators.
public struct TouchRefusal: Equatable, Sendable {
  public let reason: String
  public let cure: String

  public init(_ reason: String, cure: String) {
    self.reason = reason
    self.cure = cure
  }

  public var sentence: String { "\(reason); \(cure)" }

  /// The refusal as the request's own app may know it, without what other apps look for.
  var forApp: Self { self == .contested ? .unnamed : self }
}

extension TouchRefusal {
  static let contested = Self("two requests look for the device that was held", cure: "deny one of them")
  private static let unnamed = Self(
    "the device that was held was not set up", cure: "ask the gateway's operator why, and hold it again")
  static let several = Self("several devices were held at once", cure: "take all away and bring one")
  static let lost = Self("the device that was held was lost", cure: "hold it again")
  static let changesAddress = Self(
    "the device changes its address and gave no key", cure: "choose it in accessoryctl pick")
}
