// SPDX-License-Identifier: GPL-3.0-or-later

import CNetwork
public import LinuxSystem

/// A TCP port that accepts connections.
public struct TCPListener: ~Copyable {
  public let descriptor: Descriptor

  /// Listens at all addresses of the host.
  public init(port: UInt16) throws(SystemError) {
    let number = cnetwork_listen(port)
    guard number >= 0 else { throw SystemError(.listen) }
    descriptor = Descriptor(owning: number)
  }

  /// Accepts the next connection, which does not block, with the other end's address; nil when none waits, or none can be
  /// had now.
  public func accept() -> (connection: SharedDescriptor, address: String)? {
    var address = [CChar](repeating: 0, count: Int(CNETWORK_ADDRESS_MAX))
    // Holds: the call fills at most as many bytes, the last one zero.
    let number = unsafe cnetwork_accept(descriptor.number, &address)
    guard number >= 0 else { return nil }
    return (SharedDescriptor(Descriptor(owning: number)), String(text: address))
  }
}

/// The host that the program runs on.
public enum Host {
  /// Its name up to the first point; nil when the kernel does not say.
  public static var name: String? {
    var name = [CChar](repeating: 0, count: 256)
    // Holds: the call fills at most as many bytes, the last one zero.
    guard unsafe cnetwork_host_name(&name, 256) == 0 else { return nil }
    let text = String(text: name)
    return text.isEmpty ? nil : text
  }
}

extension String {
  /// The bytes before the first zero.
  fileprivate init(text: [CChar]) {
    self.init(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
