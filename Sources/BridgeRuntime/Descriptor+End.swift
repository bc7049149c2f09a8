// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
public import LinuxSystem

extension Descriptor {
  /// Ends the connection, also for other processes that have a copy of the socket.
  public borrowing func endConnection() { shutdown(number, Int32(SHUT_RDWR)) }
}
