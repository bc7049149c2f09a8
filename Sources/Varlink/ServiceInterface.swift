// SPDX-License-Identifier: Apache-2.0

import JSON

/// `org.varlink.service`, which every service has (varlink.org, "Service").
enum ServiceInterface {
  static let name = "org.varlink.service"

  static let text = """
    # What every Varlink service offers: what it is, and how its interfaces are described.
    interface org.varlink.service

    # Who made the service, and the interfaces it has.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # The definition of one of the service's interfaces.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The service has no such interface.
    error InterfaceNotFound (interface: string)

    # The interface has no such method.
    error MethodNotFound (method: string)

    # The interface has the method, but the service does not perform it.
    error MethodNotImplemented (method: string)

    # A parameter is unknown, missing, or not what it should be.
    error InvalidParameter (parameter: string)

    # The caller may not do this.
    error PermissionDenied ()

    # The method answers more than once and must be called with "more".
    error ExpectedMore ()

    """

  /// The description of ``text``; a text of this project is valid.
  static func description() -> InterfaceDescription {
    do {
      return try InterfaceParser.parse(Array(text.utf8))
    } catch {
      preconditionFailure("org.varlink.service:\(error)")
    }
  }
}
