// SPDX-License-Identifier: GPL-3.0-or-later

import CInterfaces
public import Varlink

/// `io.accessoryd.Gateway`, as `Config/io.accessoryd.Gateway.varlink` describes it.
public enum GatewayInterface {
  public static let name = "io.accessoryd.Gateway"

  /// The file's octets.
  static var text: [UInt8] { (0..<cinterfaces_gateway_count).map { cinterfaces_gateway_octet($0) } }

  /// The description that is served; our own text is sound.
  public static func description() -> InterfaceDescription {
    do {
      return try InterfaceParser.parse(text)
    } catch {
      preconditionFailure("io.accessoryd.Gateway:\(error)")
    }
  }
}
