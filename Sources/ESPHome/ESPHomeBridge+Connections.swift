// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
import Interfaces
import JSON
import VarlinkClient

/// The bridge's session as an app: connections are for that app's accessories alone.
struct AppSession {
  let token: String
  let app: String
}

extension ESPHomeBridge {
  /// The next packet for the device's socket of this name.
  public func packet(of id: BridgeCallID) -> [UInt8]? { connections.nextPacket(of: id) }

  /// Whether the socket is to be read: not while the client does not read what came before.
  public func wantsPackets(of id: BridgeCallID) -> Bool {
    connections.client(of: id).flatMap { clients[$0]?.isReading } ?? false
  }

  // MARK: - The session

  mutating func openSession() {
    callAgent(.cancel(Self.sessionCall))
    callAgent(.begin(Self.sessionCall, .kept(SessionMethodName.activate)))
  }

  mutating func sessionAnswered(_ reply: ReceivedReply) {
    guard reply.error == nil else {
      // The account is no app's, which a new stream of reports may change.
      callAgent(.cancel(Self.sessionCall))
      session = nil
      return offer(false)
    }
    let line = JSONObjectReader(reply.parameters)
    guard let token = try? line.stringIfPresent("session"), let app = try? line.stringIfPresent("app") else {
      return
    }
    session = AppSession(token: token, app: app)
    offer(true)
  }

  private mutating func offer(_ isOffered: Bool) {
    guard offersConnections != isOffered else { return }
    offersConnections = isOffered
    sendClientsAway()
  }

  // MARK: - Connections

  mutating func answerConnecting(_ message: ClientMessage, of id: ESPHomeClientID) {
    switch message {
    case .connections:
      clients[id]?.wantsConnections = true
      performConnecting([.send(connections.countMessage, to: id)])
    case .device(let address, let request):
      let accessory = session.flatMap { accessories.identifier(of: address, ofApp: $0.app) }
      performConnecting(connections.control(request, address, accessory, for: id, at: now))
    default: performConnecting(connections.ask(message, for: id, at: now))
    }
  }

  /// The reply comes after the socket.
  mutating func connectionAnswered(_ id: BridgeCallID, _ reply: ReceivedReply) {
    let field = try? JSONObjectReader(reply.parameters).stringIfPresent("field")
    let isUnreachable = field == "accessory.reach" || field == "accessory.link"
    performConnecting(connections.answered(id, isUnreachable ? .notEstablished : .refused))
  }

  mutating func performConnecting(_ wanted: [DeviceConnections.Effect]) {
    for effect in wanted {
      switch effect {
      case .send(let message, let client):
        do throws(ESPHomeError) { try send(message, to: client) } catch { fail(client, error) }
      case .connect(let id, let accessory):
        let token = session?.token
        callAgent(
          .begin(
            id,
            .once(SessionMethodName.connect) { json in
              json.member("session", token ?? "")
              json.member("accessory", accessory)
            }))
      case .end(let id):
        callAgent(.cancel(id))
        effects.append(.closeLink(id))
      case .countChanged:
        for id in clients.keys where clients[id]?.wantsConnections == true {
          do throws(ESPHomeError) { try send(connections.countMessage, to: id) } catch { fail(id, error) }
        }
      }
    }
  }
}

extension DeviceConnections.Reason {
  init(_ end: ESPHomeBridge.LinkEnd) {
    self =
      switch end {
      case .byDevice: .endedByDevice
      case .byGateway: .endedByGateway
      case .lost: .lost
      }
  }
}
