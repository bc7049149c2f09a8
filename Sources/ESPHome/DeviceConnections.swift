// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import GATT

/// Connections of clients to accessories (api.proto, messages 68 to 84), with a GATT client for each.
///
/// A connection belongs to the client that asked for it, and ends with it. Capacity: ``countMax`` connections.
struct DeviceConnections {
  enum Effect {
    case send(APIMessage, to: ESPHomeClientID)
    /// Call the agent for a connection to the accessory.
    case connect(BridgeCallID, accessory: String)
    /// End that call, if it lasts, and close the connection, if there is one.
    case end(BridgeCallID)
    /// Clients are to know how many connections are free.
    case countChanged
  }

  /// Why a connection has ended, or was not made: the reasons that an ESP32 gives (Core Specification 5.4, Volume 1, Part F,
  /// 1.3, and its own).
  enum Reason: UInt64 {
    case none = 0
    case lost = 0x08
    case endedByDevice = 0x13
    case endedByGateway = 0x16
    case notEstablished = 0x3E
    /// The device is no accessory, too many are connected, or the gateway cannot connect.
    case refused = 0x85
  }

  private enum Request {
    case read(UInt16)
    case write(UInt16)
    case list
  }

  private struct Connection {
    let client: ESPHomeClientID
    /// As clients name the device.
    let address: UInt64
    /// nil until the device is connected.
    var gatt: GATTClient?
    /// Whether the client knows that it is connected.
    var isReady = false
    var requests: [GATTClient.OperationID: Request] = [:]
    var listing: ServiceListing?
    /// The values that the client is notified of.
    var notified: Set<UInt16> = []
    var lastOperation: GATTClient.OperationID = 0
  }

  static let countMax = 3

  private let ids: [BridgeCallID]
  private var connections: [BridgeCallID: Connection] = [:]
  private var effects: [Effect] = []
  private var now = Duration.zero

  /// `first` and the next numbers name connections, and the calls that make them.
  init(first: Int) { ids = (0..<Self.countMax).map { BridgeCallID(first + $0) } }

  func owns(_ id: BridgeCallID) -> Bool { ids.contains(id) }

  func client(of id: BridgeCallID) -> ESPHomeClientID? { connections[id]?.client }

  var nextDeadline: Duration? { connections.values.compactMap { $0.gatt?.deadline }.min() }

  func nextPacket(of id: BridgeCallID) -> [UInt8]? { connections[id]?.gatt?.nextPacket }

  /// How many more there may be, and which devices are connected.
  var countMessage: APIMessage {
    .connections(
      free: Self.countMax - connections.count, of: Self.countMax,
      ids.compactMap { connections[$0] }.filter(\.isReady).map(\.address))
  }

  // MARK: - Clients

  /// What a client asks to be done with a connection. `accessory` is the identifier of the accessory with this address; nil
  /// when the bridge's app has none.
  mutating func control(
    _ request: ClientMessage.DeviceRequest, _ address: UInt64, _ accessory: String?,
    for client: ESPHomeClientID, at time: Duration
  ) -> [Effect] {
    collect(at: time) { table in
      switch request {
      case .connect, .connectWithCache, .connectWithoutCache: table.connect(address, accessory, for: client)
      case .disconnect: table.disconnect(address, for: client)
      // An operator pairs, with the picker, and the gateway keeps nothing that a client could clear.
      case .pair: table.send(.pairing(address, .refused), client)
      case .unpair: table.send(.unpairing(address, .refused), client)
      case .clearCache: table.send(.cacheCleared(address), client)
      }
    }
  }

  private mutating func connect(_ address: UInt64, _ accessory: String?, for client: ESPHomeClientID) {
    if let id = id(of: address, client) {
      if let connection = connections[id], connection.isReady { sendConnected(connection) }
      return
    }
    guard let accessory, !connections.values.contains(where: { $0.address == address }),
      let free = ids.first(where: { connections[$0] == nil })
    else { return send(.connection(address, .refused), client) }
    connections[free] = Connection(client: client, address: address)
    effects += [.connect(free, accessory: accessory), .countChanged]
  }

  private mutating func disconnect(_ address: UInt64, for client: ESPHomeClientID) {
    guard let id = id(of: address, client) else { return send(.connection(address, .none), client) }
    end(id, .endedByGateway)
  }

  mutating func clientEnded(_ client: ESPHomeClientID) -> [Effect] {
    collect(at: now) { table in
      for id in table.ids where table.connections[id]?.client == client { table.end(id, nil) }
    }
  }

  /// What a client asks of a connected device.
  mutating func ask(_ message: ClientMessage, for client: ESPHomeClientID, at time: Duration) -> [Effect] {
    collect(at: time) { table in
      switch message {
      case .services(let address): table.list(address, for: client)
      case .read(let address, let handle):
        table.beginRequest(.read(handle), as: .read(handle), address, client, handle)
      case .write(let address, let handle, let value, true):
        table.beginRequest(.write(handle, value), as: .write(handle), address, client, handle)
      case .write(let address, let handle, let value, false):
        if let id = table.ready(address, client) { table.step(id, .writeCommand(handle, value)) }
      case .notify(let address, let handle, let isOn):
        guard let id = table.ready(address, client) else {
          return table.send(.failed(address, handle, Reason.refused.rawValue), client)
        }
        if isOn {
          table.connections[id]?.notified.insert(handle)
        } else {
          table.connections[id]?.notified.remove(handle)
        }
        table.send(.notifying(address, handle), client)
      default: break
      }
    }
  }

  private mutating func list(_ address: UInt64, for client: ESPHomeClientID) {
    guard let id = ready(address, client) else { return send(.connection(address, .refused), client) }
    guard connections[id]?.listing == nil else { return }
    connections[id]?.listing = ServiceListing()
    beginRequest(.discoverServices(uuids: nil), as: .list, on: id)
  }

  private mutating func beginRequest(
    _ operation: GATTOperation, as request: Request, _ address: UInt64, _ client: ESPHomeClientID,
    _ handle: UInt16
  ) {
    guard let id = ready(address, client) else {
      return send(.failed(address, handle, Reason.refused.rawValue), client)
    }
    beginRequest(operation, as: request, on: id)
  }

  private mutating func beginRequest(_ operation: GATTOperation, as request: Request, on id: BridgeCallID) {
    guard var connection = connections[id] else { return }
    connection.lastOperation += 1
    connection.requests[connection.lastOperation] = request
    connections[id] = connection
    step(id, .begin(operation, connection.lastOperation))
  }

  // MARK: - The agent and the devices

  /// The agent has handed over the connection.
  mutating func opened(_ id: BridgeCallID, at time: Duration) -> [Effect] {
    collect(at: time) { table in
      guard table.connections[id] != nil, table.connections[id]?.gatt == nil else { return }
      table.connections[id]?.gatt = GATTClient()
      table.step(id, .start)
    }
  }

  /// The agent's call has ended.
  mutating func answered(_ id: BridgeCallID, _ reason: Reason) -> [Effect] {
    collect(at: now) { table in
      guard let connection = table.connections[id], connection.gatt == nil else { return }
      table.end(id, reason)
    }
  }

  mutating func receive(_ bytes: [UInt8], on id: BridgeCallID, at time: Duration) -> [Effect] {
    collect(at: time) { $0.step(id, .received(bytes)) }
  }

  mutating func packetSent(on id: BridgeCallID, at time: Duration) -> [Effect] {
    collect(at: time) { $0.step(id, .packetSent) }
  }

  mutating func ended(_ id: BridgeCallID, _ reason: Reason) -> [Effect] {
    collect(at: now) { $0.end(id, reason) }
  }

  /// Ends all of them: without the agent none has a right to be there.
  mutating func agentIsAway() -> [Effect] {
    collect(at: now) { table in
      for id in table.ids { table.end(id, .endedByGateway) }
    }
  }

  mutating func advance(to time: Duration) -> [Effect] {
    collect(at: time) { table in
      for id in table.ids where table.connections[id]?.gatt?.deadline.map({ $0 <= time }) == true {
        table.step(id, .timePassed)
      }
    }
  }

  private mutating func step(_ id: BridgeCallID, _ input: GATTInput) {
    guard let actions = connections[id]?.gatt?.step(input, at: now) else { return }
    for action in actions {
      guard let connection = connections[id] else { return }
      switch action {
      case .ready:
        connections[id]?.isReady = true
        sendConnected(connection)
        effects.append(.countChanged)
      case .complete(let operation, let result): complete(operation, result, of: id)
      case .receive(let handle, let value):
        guard connection.notified.contains(handle) else { break }
        send(.notification(connection.address, handle, value), connection.client)
      case .commandsFit, .servicesChanged: break
      case .close: end(id, .lost)
      }
    }
  }

  private mutating func complete(
    _ operation: GATTClient.OperationID, _ result: Result<GATTResult, GATTError>, of id: BridgeCallID
  ) {
    guard let request = connections[id]?.requests.removeValue(forKey: operation),
      let connection = connections[id]
    else { return }
    switch (request, result) {
    case (.list, .success(let found)): listNext(found, of: id)
    case (.list, .failure(let error)): endListing(id, error.number)
    case (.read(let handle), .success(.value(let value))):
      send(.value(connection.address, handle, value), connection.client)
    case (.write(let handle), .success): send(.written(connection.address, handle), connection.client)
    case (.read(let handle), .success): send(.value(connection.address, handle, []), connection.client)
    case (.read(let handle), .failure(let error)), (.write(let handle), .failure(let error)):
      send(.failed(connection.address, handle, error.number), connection.client)
    }
  }

  private mutating func listNext(_ found: GATTResult, of id: BridgeCallID) {
    guard let connection = connections[id], var listing = connection.listing else { return }
    guard listing.add(found) else {
      return endListing(id, UInt64(ATTErrorCode.insufficientResources.rawValue))
    }
    if let service = listing.completeService() {
      send(.service(connection.address, service), connection.client)
    }
    let next = listing.next()
    connections[id]?.listing = next == nil ? nil : listing
    guard let next else { return send(.servicesDone(connection.address), connection.client) }
    beginRequest(next, as: .list, on: id)
  }

  private mutating func endListing(_ id: BridgeCallID, _ error: UInt64) {
    guard let connection = connections[id] else { return }
    connections[id]?.listing = nil
    send(.failed(connection.address, 0, error), connection.client)
  }

  // MARK: - Parts

  /// With a reason, the client learns of the end.
  private mutating func end(_ id: BridgeCallID, _ reason: Reason?) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    effects += [.end(id), .countChanged]
    if let reason { send(.connection(connection.address, reason), connection.client) }
  }

  private func id(of address: UInt64, _ client: ESPHomeClientID) -> BridgeCallID? {
    ids.first { connections[$0]?.address == address && connections[$0]?.client == client }
  }

  private func ready(_ address: UInt64, _ client: ESPHomeClientID) -> BridgeCallID? {
    id(of: address, client).flatMap { connections[$0]?.isReady == true ? $0 : nil }
  }

  private mutating func send(_ message: APIMessage, _ client: ESPHomeClientID) {
    effects.append(.send(message, to: client))
  }

  private mutating func sendConnected(_ connection: Connection) {
    let mtu = connection.gatt?.mtu ?? GATTClient.mtuMin
    send(.connection(connection.address, .none, mtu: mtu), connection.client)
  }

  private mutating func collect(at time: Duration, _ input: (inout Self) -> Void) -> [Effect] {
    now = max(now, time)
    input(&self)
    defer { effects = [] }
    return effects
  }
}

extension GATTError {
  /// The number that a client gets: the server's own where it refused.
  fileprivate var number: UInt64 {
    if case .refused(let code, _) = self {
      UInt64(code.rawValue)
    } else {
      DeviceConnections.Reason.refused.rawValue
    }
  }
}
