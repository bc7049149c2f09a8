// SPDX-License-Identifier: GPL-3.0-or-later

import CInterfaces

/// `io.accessoryd.Gateway`: what operators see and do.
public enum GatewayInterface: ServedInterface {
  public static let name = "io.accessoryd.Gateway"

  public static var text: [UInt8] { (0..<cinterfaces_gateway_count).map { cinterfaces_gateway_octet($0) } }
}
