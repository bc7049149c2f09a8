// SPDX-License-Identifier: GPL-3.0-or-later

import GATT
import TestSupport
import Testing

/// A client whose packets a test reads and answers one by one, in virtual time.
struct LinkHarness {
  var client = GATTClient()
  var time = Duration.zero
  var actions: [GATTAction] = []
  private var nextID: UInt64 = 0

  /// A link with its start over: an MTU of `mtu`, and a server without Service Changed.
  static func started(mtu: UInt16 = 23) -> LinkHarness {
    var harness = LinkHarness()
    harness.step(.start)
    harness.expectSent("02 05 02  // Exchange MTU Request: 517")
    harness.step(.received(ATTPacket.exchangeMTUResponse(mtu).bytes))
    harness.expectSent(
      "06 01 00 FF FF 00 28 01 18  // Find By Type Value Request: Generic Attribute",
      reply: "01 06 01 00 0A  // Error Response: Attribute Not Found")
    harness.expectActions([.ready])
    return harness
  }

  mutating func step(_ input: GATTInput) { actions += client.step(input, at: time) }

  mutating func receive(_ text: String) { step(.received(hex(text))) }

  /// Begins an operation, and returns the name that its completion has.
  @discardableResult
  mutating func beginOperation(_ operation: GATTOperation) -> GATTClient.OperationID {
    nextID += 1
    step(.begin(operation, nextID))
    return nextID
  }

  mutating func takePacket() -> [UInt8]? {
    guard let packet = client.nextPacket else { return nil }
    step(.packetSent)
    return packet
  }

  /// The client's next packet is this one; then it receives the reply, if there is one.
  mutating func expectSent(
    _ text: String, reply: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let packet = takePacket().map(hexText)
    #expect(packet == hexText(hex(text)), sourceLocation: sourceLocation)
    if let reply { receive(reply) }
  }

  mutating func expectSentNothing(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(client.nextPacket.map(hexText) == nil, sourceLocation: sourceLocation)
  }

  mutating func expectActions(_ expected: [GATTAction], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(actions == expected, sourceLocation: sourceLocation)
    actions = []
  }
}
