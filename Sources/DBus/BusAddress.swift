// SPDX-License-Identifier: Apache-2.0

/// Addresses of a bus (D-Bus specification 0.43, "Server Addresses"), such as "unix:path=/run/dbus/system_bus_socket".
public enum BusAddress {
  /// Returns the local sockets of addresses in their order: paths, and abstract names with an @ in front. Other
  /// transports, and addresses with invalid escapes, are left out.
  public static func sockets(in addresses: String) -> [String] {
    addresses.split(separator: ";").compactMap { address in
      guard address.hasPrefix("unix:") else { return nil }
      for pair in address.dropFirst("unix:".count).split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { continue }
        switch parts[0] {
        case "path": return unescaped(parts[1])
        case "abstract": return unescaped(parts[1]).map { "@" + $0 }
        default: continue
        }
      }
      return nil
    }
  }

  /// Replaces each % and the two hexadecimal digits after it.
  private static func unescaped(_ text: Substring) -> String? {
    let parts = text.split(separator: "%", omittingEmptySubsequences: false)
    var bytes = Array(parts[0].utf8)
    for part in parts.dropFirst() {
      guard part.utf8.count >= 2, part.prefix(2).allSatisfy(\.isHexDigit),
        let byte = UInt8(part.prefix(2), radix: 16)
      else { return nil }
      bytes += [byte] + part.dropFirst(2).utf8
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
