// SPDX-License-Identifier: GPL-3.0-or-later

public import GATT
public import VirtualRadio

/// What goes wrong on a simulated link.
public enum LinkFault: Equatable, Sendable {
  /// The server refuses the request.
  case refuse(ATTErrorCode)
  /// The response never comes.
  case lose
  /// The response comes with these bytes instead.
  case replace([UInt8])
  /// The link ends instead of the response.
  case end
}

/// A client and a ``DiceServer``, with a link between them that delays packets and goes wrong when it is asked to. Time
/// is virtual; the same seed gives the same run.
public struct LinkSimulation: Sendable {
  private struct Delivery: Sendable {
    let time: Duration
    let isToClient: Bool
    let bytes: [UInt8]
  }

  public var client = GATTClient()
  public var server = DiceServer()
  public private(set) var time = Duration.zero
  /// Called for each request with its number, from 0.
  public var chooseFault: @Sendable (Int, inout SeededGenerator) -> LinkFault? = { _, _ in nil }
  public private(set) var requestCount = 0
  /// Every effect that the client asked for.
  public private(set) var actions: [GATTAction] = []
  public var generator: SeededGenerator
  private var deliveries: [Delivery] = []
  private var isUp = true

  public init(seed: UInt64 = 1) {
    generator = SeededGenerator(seed: seed)
    passInput(.start)
  }

  /// Gives the client an input, and takes what it sends.
  public mutating func passInput(_ input: GATTInput) {
    actions += client.step(input, at: time)
    if case .close = actions.last { isUp = false }
    while let packet = client.nextPacket {
      actions += client.step(.packetSent, at: time)
      deliver(packet, toClient: false)
    }
  }

  /// Lets the server report a value, if the client subscribed.
  public mutating func report(_ handle: UInt16, _ value: [UInt8]) {
    guard isUp, let packet = server.model.report(handle, value) else { return }
    deliver(packet, toClient: true)
  }

  /// Runs until nothing is under way and no response is missing.
  public mutating func runToEnd() {
    while runNextEvent() {}
  }

  /// Runs the next delivery or deadline. Returns false when there is none.
  public mutating func runNextEvent() -> Bool {
    guard isUp else { return false }
    let next = deliveries.indices.min { deliveries[$0].time < deliveries[$1].time }
    if let next, deliveries[next].time <= client.deadline ?? .seconds(1_000_000) {
      let delivery = deliveries.remove(at: next)
      time = max(time, delivery.time)
      if delivery.isToClient {
        passInput(.received(delivery.bytes))
      } else {
        receive(delivery.bytes)
      }
      return true
    }
    guard let deadline = client.deadline else { return false }
    time = deadline
    passInput(.timePassed)
    return true
  }

  /// Packets of one direction keep their order.
  private mutating func deliver(_ bytes: [UInt8], toClient isToClient: Bool) {
    let last = deliveries.last { $0.isToClient == isToClient }?.time ?? time
    let delay = Duration.milliseconds(1 + generator.number(below: 300))
    deliveries.append(
      Delivery(time: max(last + .microseconds(1), time + delay), isToClient: isToClient, bytes: bytes))
  }

  private mutating func receive(_ bytes: [UInt8]) {
    guard let response = server.model.response(to: bytes) else { return }
    let fault = chooseFault(requestCount, &generator)
    requestCount += 1
    switch fault {
    case nil: deliver(response, toClient: true)
    case .refuse(let code):
      let handle = bytes.count > 2 ? UInt16(bytes[1]) | UInt16(bytes[2]) << 8 : 0
      deliver(ATTPacket.errorResponse(request: bytes[0], handle: handle, code: code).bytes, toClient: true)
    case .lose: break
    case .replace(let other): deliver(other, toClient: true)
    case .end:
      deliveries = []
      passInput(.linkEnded)
    }
  }
}
