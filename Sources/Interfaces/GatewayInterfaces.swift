// SPDX-License-Identifier: Apache-2.0

import CInterfaces

/// The version of the agent, its tool and the package, which take it from here. The library for apps is a part of the same
/// Swift package, and a test compares what its guide asks for.
public enum ProjectVersion {
  /// Three numbers with dots between them, and no leading zeros.
  public static let text = "0.1.0"
}

// The interfaces of the agent. `text` has the bytes of the file of the interface's name in Config/, which describes it.

/// `io.accessoryd.Gateway`: what the gateway hears, and how it is doing. For operators.
public enum GatewayInterface: Sendable {
  public static let name = "io.accessoryd.Gateway"
  /// The parameter of `Sightings` that asks for the devices without a match too.
  public static let includesAll = "includesAll"

  public static var text: [UInt8] { (0..<cinterfaces_gateway_count).map { cinterfaces_gateway_byte($0) } }
}

/// `io.accessoryd.Session`: an app's accessories and pickers.
public enum SessionInterface: Sendable {
  public static let name = "io.accessoryd.Session"

  public static var text: [UInt8] { (0..<cinterfaces_session_count).map { cinterfaces_session_byte($0) } }
}

/// `io.accessoryd.Operator`: the decisions about accessories that operators make.
public enum OperatorInterface: Sendable {
  public static let name = "io.accessoryd.Operator"
  /// How many accessories one `Open` may set up.
  public static let setupCountMax = 256
  /// The name of the interface in earlier versions of the agent.
  public static let formerName = "io.accessoryd.Picker"
  /// Sent to a client that calls the interface by its former name.
  public static let renamingCure = "\(formerName) is now \(name): use a tool of the agent's version"

  public static var text: [UInt8] { (0..<cinterfaces_operator_count).map { cinterfaces_operator_byte($0) } }
}
