// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// What a process knows and sets about itself.
public enum ThisProcess {
  public static var identifier: Int32 { getpid() }
  public static var user: UInt32 { geteuid() }

  /// Lets the process open up to `wanted` descriptors, or as many as it may; answers how many that is.
  public static func raiseDescriptorLimit(to wanted: Int) throws(SystemError) -> Int {
    Int(try retryOnInterrupt(.limit) { clinux_descriptor_limit(UInt64(wanted)) })
  }
}
