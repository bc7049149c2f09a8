// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// The process's environment.
public enum Environment {
  /// Whether the variable is there and not empty.
  public static func has(_ name: String) -> Bool { !(value(of: name) ?? "").isEmpty }

  /// The variable's value, or nil when it is not there.
  public static func value(of name: String) -> String? {
    // Holds: getenv answers a string of the environment, which this program never changes.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
