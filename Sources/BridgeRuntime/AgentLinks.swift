// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
public import LinuxSystem
import ToolSystem

/// The sockets of a bridge's calls to the agent. None of its calls blocks.
public struct AgentLinks: ~Copyable {
  private struct Link {
    let socket: SharedDescriptor
    var unsent: [UInt8] = []
  }

  /// What a socket had to say.
  public enum Arrival {
    case bytes([UInt8])
    /// The agent has closed it, or it has failed: why.
    case end(String)
    case nothing
  }

  private let path: String
  private var links: [BridgeCallID: Link] = [:]
  private var buffer = [UInt8](repeating: 0, count: 1 << 14)

  public init(path: String) { self.path = path }

  /// Opens a connection. Throws why there is none, as a sentence.
  public mutating func open(_ id: BridgeCallID) -> Result<SharedDescriptor, AgentUnreachableError> {
    do throws(SystemError) {
      let link = Link(socket: SharedDescriptor(try UnixConnection.open(path: path)))
      links[id] = link
      return .success(link.socket)
    } catch {
      return .failure(AgentUnreachableError(sentence: sentence(error)))
    }
  }

  private func sentence(_ error: SystemError) -> String {
    if error.isMissing || error.isRefused {
      return "no agent listens at \(path); start it: systemctl start accessoryd"
    }
    if error.isPermission { return "this account may not connect to \(path)" }
    return "cannot connect to \(path): \(error.reason)"
  }

  public mutating func close(_ id: BridgeCallID) { links[id] = nil }

  /// Sends bytes, or keeps them until the socket takes them. Returns whether some are kept.
  public mutating func send(_ bytes: [UInt8], on id: BridgeCallID) -> Bool {
    links[id]?.unsent += bytes
    return flush(id)
  }

  /// Whether bytes are still kept afterwards. A socket that has failed says so when it is read.
  public mutating func flush(_ id: BridgeCallID) -> Bool {
    while let link = links[id], !link.unsent.isEmpty {
      guard let count = try? link.socket.descriptor.send(link.unsent.span), count > 0 else { return true }
      links[id]?.unsent.removeFirst(count)
    }
    return false
  }

  public func socket(of id: BridgeCallID) -> SharedDescriptor? { links[id]?.socket }

  /// Reads what has arrived. A descriptor that came beside it replaces `passed`.
  public mutating func receive(_ id: BridgeCallID, passed: inout SharedDescriptor?) -> Arrival {
    guard let link = links[id] else { return .nothing }
    do throws(SystemError) {
      guard let count = try link.socket.descriptor.read(into: &buffer, passed: &passed) else {
        return .nothing
      }
      return count == 0 ? .end("the agent has ended") : .bytes(Array(buffer[..<count]))
    } catch {
      return .end("the connection to the agent has failed: \(error.reason)")
    }
  }
}

/// Why a connection to the agent cannot be made.
public struct AgentUnreachableError: Error, Sendable {
  public let sentence: String
}
