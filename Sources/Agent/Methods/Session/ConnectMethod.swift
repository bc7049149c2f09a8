// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Registry
import Setup
import Varlink

/// `Connect`: a connected socket to an accessory, beside the reply.
enum ConnectMethod: SessionMethod {
  static let name = SessionMethodName.connect

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    let link = try call.agent.connect(try call.accessory(of: session), for: session)
    return .stream(ConnectStream(link: link))
  }
}

/// Waits until the socket is connected.
private struct ConnectStream: ReplyStream {
  let link: LinkID
  private var isOver = false

  init(link: LinkID) { self.link = link }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch agent.links.outcome(of: link) {
    case nil: return .wait
    case .success:
      isOver = true
      return .endPassing(.link(link), Message.reply())
    case .failure(let error):
      isOver = true
      return .end(error.message)
    }
  }

  func release(_ agent: AgentCore) {
    guard !isOver else { return agent.links.forget(link) }
    agent.updateLinks { $0.abandon(link) }
  }
}

/// `ReadRSSI`: how strong the signal of an accessory is to which the app is connected.
enum ReadRSSIMethod: SessionMethod {
  static let name = SessionMethodName.readRSSI

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let agent = call.agent
    let accessory = try call.accessory(of: try call.session())
    guard let link = agent.links.link(of: accessory.identifier), case .connected = link.state else {
      throw .isNotConnected
    }
    let number = agent.updateLinks { $0.commands.ask(.information, link.address, at: agent.now) }
    return .stream(ReadingStream(number: number))
  }
}

/// Waits for the kernel's answer.
private struct ReadingStream: ReplyStream {
  let number: UInt64

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch agent.links.commands.answer(to: number) {
    case nil: .wait
    case .rssi(let rssi?): .end(Message.reply { $0.member("rssi", Int64(rssi)) })
    case .rssi(nil), .failed: .end(SetupError.hasNoReading.message)
    case .notConnected, .disconnected: .end(SetupError.isNotConnected.message)
    }
  }

  func release(_ agent: AgentCore) { agent.links.commands.forget(number) }
}
