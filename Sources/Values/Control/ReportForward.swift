// SPDX-License-Identifier: Apache-2.0

/// Which devices a bridge, or a reader of reports, sees at most.
public enum ReportForward: String, CaseIterable, Sendable {
  /// Those that are authorized accessories.
  case accessories
  /// Also those that an item has found.
  case items
  /// Every device in reach.
  case everything

  /// Whether it includes another.
  public func covers(_ other: Self) -> Bool {
    switch (self, other) {
    case (.everything, _), (.items, .items), (_, .accessories): true
    case (.accessories, .items), (.accessories, .everything), (.items, .everything): false
    }
  }
}
