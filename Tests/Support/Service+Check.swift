// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// Why a service cannot be offered.
public enum ServiceSetupError: Error, Equatable, Sendable {
  case duplicateInterface(String)
  /// A method is performed that no interface describes.
  case undescribedMethod(String)
  /// A client could not get the interface's description in one reply.
  case descriptionTooLong(String, byteCount: Int)
}

extension Service {
  /// Throws if the service could not keep its word. The program reads definitions when they are used.
  public func check(
    replyBytesMax: Int = ConnectionLimits().replyBytesMax
  ) throws(ServiceSetupError) {
    for (index, interface) in interfaces.enumerated() {
      guard !interfaces[..<index].contains(where: { $0.name == interface.name }) else {
        throw .duplicateInterface(interface.name)
      }
      let byteCount = Self.reply(with: interface).count
      guard byteCount <= replyBytesMax else {
        throw .descriptionTooLong(interface.name, byteCount: byteCount)
      }
    }
    for method in Method.allCases where !describes(method) { throw .undescribedMethod(method.rawValue) }
  }

  private func describes(_ method: Method) -> Bool {
    interfaces.contains { interface in
      let calls = interface.calls
      return calls.members.keys.contains { member in
        calls.method(member) != nil && method.rawValue == "\(interface.name).\(member)"
      }
    }
  }
}
