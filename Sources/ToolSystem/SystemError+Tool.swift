// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
public import LinuxSystem

extension SystemError {
  /// The file is there already.
  public var isExisting: Bool { code == EEXIST }
  /// The queue of connections that wait to be accepted is full.
  public var isFull: Bool { code == EAGAIN }
}
