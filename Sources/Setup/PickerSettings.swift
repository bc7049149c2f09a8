// SPDX-License-Identifier: GPL-3.0-or-later

/// How a picker is shown: `ASPickerDisplaySettings`.
public struct PickerSettings: Hashable, Sendable {
  /// `ASPickerDisplaySettings.Options` with its raw values.
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app receives what was discovered, and decides what is shown.
    public static let filterDiscoveryResults = Options(rawValue: 1 << 0)
  }

  /// How long a picker waits for a first candidate: `ASPickerDisplaySettings.DiscoveryTimeout`.
  public enum DiscoveryTimeout: Hashable, Sendable {
    case seconds(Int32)
    /// Only the app or an operator ends it.
    case unbounded

    public static let standard = seconds(30)
    public static let short = seconds(60)
    public static let medium = seconds(120)
    public static let long = seconds(300)
  }

  /// nil when the app asked for none: then ``DiscoveryTimeout/standard``, or the time of a touch.
  public private(set) var wantedTimeout: DiscoveryTimeout?
  public var discoveryTimeout: DiscoveryTimeout {
    get { wantedTimeout ?? .standard }
    set { wantedTimeout = newValue }
  }
  public var options: Options = []

  public init() {}
}
