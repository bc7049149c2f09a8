// SPDX-License-Identifier: Apache-2.0

import JSON

/// What `GetInfo` says about a service.
public struct ServiceIdentity: Sendable {
  public var vendor: String
  public var product: String
  public var version: String
  public var url: String

  public init(vendor: String, product: String, version: String, url: String) {
    (self.vendor, self.product, self.version, self.url) = (vendor, product, version, url)
  }
}

/// How often a method replies to one call.
public enum ReplyCount: Sendable {
  case one
  /// As often as there is something to say; it must be called with `more`.
  case many
}

/// The methods that a program performs; raw values are their whole names.
public protocol ServedMethod: RawRepresentable<String>, CaseIterable, Sendable {
  var replies: ReplyCount { get }
}

/// The interfaces that a program offers. It decides what to do about each call, and holds no state about clients.
public struct Service<Method: ServedMethod>: Sendable {
  /// What to do about a call.
  public enum DispatchResult: Sendable {
    /// The reply is this message; `org.varlink.service` was called.
    case reply([UInt8])
    case refuse(ServiceError)
    /// The program performs the method. Its parameters are of the types described.
    case perform(Method, Parameters)
  }

  public let identity: ServiceIdentity
  /// `org.varlink.service` first.
  package let interfaces: [any ServedInterface.Type]
  /// The cure for a client that calls an interface by a former name, by that name.
  private let renamingCures: [String: String]

  public init(
    _ identity: ServiceIdentity, interfaces: [any ServedInterface.Type],
    renamingCures: [String: String] = [:]
  ) {
    (self.identity, self.renamingCures) = (identity, renamingCures)
    self.interfaces = [ServiceInterface.self] + interfaces
  }

  public func dispatch(_ call: Call) -> DispatchResult {
    do throws(ServiceError) {
      return try route(call)
    } catch {
      return .refuse(error)
    }
  }

  private func route(_ call: Call) throws(ServiceError) -> DispatchResult {
    let interface = try interface(named: call.interface)
    let calls = interface.calls
    guard let described = calls.method(call.method) else { throw .methodNotFound(call.fullName) }
    do throws(ParameterError) {
      try calls.check(call.parameters, described.input)
    } catch {
      throw .invalidParameter(error.path)
    }
    if interface.name == ServiceInterface.name { return .reply(try serviceReply(to: call)) }
    guard let method = Method(rawValue: call.fullName) else { throw .methodNotImplemented(call.fullName) }
    if method.replies == .many, !call.wantsMore { throw .expectedMore }
    return .perform(method, Parameters(call.parameters))
  }

  private func interface(named name: String) throws(ServiceError) -> any ServedInterface.Type {
    guard let interface = interfaces.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw .interfaceNotFound(name, cure: renamingCures[name])
    }
    return interface
  }

  private func serviceReply(to call: Call) throws(ServiceError) -> [UInt8] {
    switch call.method {
    case "GetInfo": return information()
    case "GetInterfaceDescription":
      return Self.reply(with: try interface(named: try Parameters(call.parameters).string("interface")))
    default: throw .methodNotImplemented(call.fullName)
    }
  }

  private func information() -> [UInt8] {
    Message.reply { json in
      json.member("vendor", identity.vendor)
      json.member("product", identity.product)
      json.member("version", identity.version)
      json.member("url", identity.url)
      json.member("interfaces", interfaces.map { $0.name })
    }
  }

  package static func reply(with interface: any ServedInterface.Type) -> [UInt8] {
    Message.reply { $0.member("description", String(decoding: interface.text, as: UTF8.self)) }
  }
}

/// An interface that a service offers.
public protocol ServedInterface: Sendable {
  static var name: String { get }
  /// The bytes of its definition file, as they are served.
  static var text: [UInt8] { get }
  /// What calls are checked against: what methods take, and the types that it names.
  static var calls: InterfaceDescription { get }
}

/// `org.varlink.service`, which every service has (varlink.org, "Service").
package enum ServiceInterface: ServedInterface {
  package static let name = "org.varlink.service"
  package static let calls = InterfaceDescription(
    name: name,
    members: [
      "GetInfo": .method(InterfaceDescription.Method(input: [])),
      "GetInterfaceDescription": .method(
        InterfaceDescription.Method(input: [InterfaceField(name: "interface", type: .string)])),
    ])
  package static var text: [UInt8] { Array(definition.utf8) }

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
