// SPDX-License-Identifier: GPL-3.0-or-later

import CInterfaces

/// `io.accessoryd.Session`: what apps do with their own accessories.
public enum SessionInterface: ServedInterface {
  public static let name = "io.accessoryd.Session"

  public static var text: [UInt8] { (0..<cinterfaces_session_count).map { cinterfaces_session_octet($0) } }
}
