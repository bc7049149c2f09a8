// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// The built programs of this package: those in the folder ACCESSORY_PROGRAMS, such as a release, or else those beside the
/// program that runs the tests.
public enum BuiltPrograms {
  private static let folder =
    ProcessInfo.processInfo.environment["ACCESSORY_PROGRAMS"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  public static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
