// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Registry
import Setup
import Varlink

/// `Disconnect`: an operator ends the connection of an app to its accessory.
enum DisconnectMethod: OperatorMethod {
  static let name = OperatorMethodName.disconnect

  /// As long as a session's end may take to end the connection.
  private static let milliseconds: Int64 = 12_000

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let agent = call.agent
    // Connections end although the registry's file cannot be written.
    try agent.setupCore.requireReadableRegistry()
    let name = call.parameters.word("accessory")
    guard let identifier = RandomIdentifier(text: name),
      let accessory = agent.setupCore.registry.accessory(identifier)
    else { throw .notFound(.accessory, name: name) }
    let link = agent.links.link(of: accessory.identifier)
    if let link, link.isConnecting {
      agent.updateLinks { $0.end(.operator, at: agent.now) { $0.id == link.id } }
      return .done
    }
    // An agent that was killed has left connections that this one does not know.
    let device = agent.setupCore.registry.device(of: accessory)
    guard agent.radio.link == .shared,
      let address = link?.address ?? (try? agent.currentAddress(of: device))
    else { throw .notDisconnected(accessory.identifier, .notConnected) }
    let number = agent.updateLinks { links in
      links.end(.operator, at: agent.now) { $0.id == link?.id }
      return links.commands.ask(.disconnect, address, at: agent.now)
    }
    return .stream(
      DisconnectionStream(
        accessory: accessory.identifier, number: number, wasConnected: link != nil,
        end: agent.now.advanced(milliseconds: milliseconds)))
  }
}

/// Waits until the kernel has ended the link.
private struct DisconnectionStream: ReplyStream {
  let accessory: RandomIdentifier
  let number: UInt64
  let wasConnected: Bool
  let end: Instant

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch agent.links.commands.answer(to: number) {
    case .disconnected: return .end(Message.reply())
    case .notConnected where wasConnected: return .end(Message.reply())
    case .notConnected: return .end(error(.notConnected))
    case .failed, .rssi: return .end(error(.refused))
    case nil: return end <= agent.now ? .end(error(.refused)) : .wait
    }
  }

  private func error(_ reason: OperatorError.DisconnectReason) -> [UInt8] {
    OperatorError.notDisconnected(accessory, reason).message
  }

  func deadline(_ agent: AgentCore) -> Instant? { end }

  func release(_ agent: AgentCore) { agent.links.commands.forget(number) }
}
