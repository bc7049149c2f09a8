// SPDX-License-Identifier: Apache-2.0

/// An interface that a service offers.
public protocol ServedInterface: Sendable {
  static var name: String { get }
  /// The bytes of its definition file, as they are served.
  static var text: [UInt8] { get }
  /// What calls are checked against: ``callDescription()``, which is kept from the first call on.
  static var calls: InterfaceDescription { get }
}

extension ServedInterface {
  /// The whole description. A text that cannot be parsed is a programming mistake and traps.
  public static func description() -> InterfaceDescription {
    do {
      return try InterfaceParser.parse(text)
    } catch {
      preconditionFailure("\(name):\(error)")
    }
  }

  /// The part of the description that calls are checked against.
  public static func callDescription() -> InterfaceDescription { description().ofCalls }
}

/// `org.varlink.service`, which every service has (varlink.org, "Service").
enum ServiceInterface: ServedInterface {
  static let name = "org.varlink.service"
  static let calls = callDescription()
  static var text: [UInt8] { Array(definition.utf8) }

  private static let definition = """
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
}
