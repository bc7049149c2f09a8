// SPDX-License-Identifier: GPL-3.0-or-later

public import Varlink

/// An interface of the agent, as the file of its name in `Config/` describes it.
public protocol ServedInterface {
  static var name: String { get }
  /// The file's octets.
  static var text: [UInt8] { get }
}

extension ServedInterface {
  /// The description that is served; our own text is sound.
  public static func description() -> InterfaceDescription {
    do {
      return try InterfaceParser.parse(text)
    } catch {
      preconditionFailure("\(name):\(error)")
    }
  }
}
