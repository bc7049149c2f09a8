// SPDX-License-Identifier: GPL-3.0-or-later

import GATT
import HCI
import TestSupport

/// A client with operations of each kind receives packets from a peripheral: a byte with the length, then the packet. A
/// length of 0 lets the time for a response pass.
func fuzzLink(_ bytes: RawSpan) {
  var client = GATTClient()
  var time = Duration.zero
  var rest = bytes.bytes[...]
  var completed: Set<GATTClient.OperationID> = []
  var isClosed = false

  func step(_ input: GATTInput) {
    precondition(!isClosed || client.deadline == nil, "a closed link waits for a response")
    for action in client.step(input, at: time) {
      switch action {
      case .complete(let id, _): precondition(completed.insert(id).inserted, "completed twice")
      case .close: isClosed = true
      case .ready, .receive, .commandsFit, .servicesChanged: break
      }
    }
    while let packet = client.nextPacket {
      precondition(packet.count <= GATTClient.mtuMax, "a packet is longer than any MTU")
      _ = client.step(.packetSent, at: time)
    }
  }

  let operations = linkOperations
  step(.start)
  for (id, operation) in operations.enumerated() { step(.begin(operation, UInt64(id))) }
  while let length = rest.popFirst() {
    if length == 0 { time += GATTClient.responseTimeout }
    step(length == 0 ? .timePassed : .received(Array(rest.prefix(Int(length)))))
    rest = rest.dropFirst(Int(length))
  }
  step(.linkEnded)
  precondition(completed.count == operations.count, "an operation was lost")
}

/// Made again for every input: to the leak detector, what only a global value refers to is lost.
private var linkOperations: [GATTOperation] {
  let level = GATTCharacteristic(
    declarationHandle: 2, valueHandle: 3, endHandle: 9, properties: 0x12, uuid: AttributeUUID(0x2A19))
  return [
    .discoverServices(uuids: nil), .discoverServices(uuids: [AttributeUUID(0x180F)]),
    .discoverIncludedServices(.all), .discoverCharacteristics(.all), .discoverDescriptors(level), .read(3),
    .write(3, [UInt8](repeating: 1, count: 64)), .subscribe(level, .notifications),
  ]
}

/// The start of a link, and one operation after the other.
var linkSeeds: [[UInt8]] {
  let packets: [ATTPacket] = [
    .exchangeMTUResponse(64), .findByTypeValueResponse([.all]),
    .readByTypeResponse([AttributeValue(handle: 2, value: [0x20, 3, 0, 0x05, 0x2A])]),
    .findInformationResponse([AttributeType(handle: 4, uuid: .clientConfiguration)]), .writeResponse,
    .readByGroupTypeResponse([AttributeGroup(range: .all, value: [0x0F, 0x18])]), .readResponse([1, 2, 3]),
    .indication(3, [1, 0, 0xFF, 0xFF]), .notification(5, [1]),
    .errorResponse(request: 0x08, handle: 1, code: .attributeNotFound), .executeWriteResponse,
  ]
  let framed = packets.map { [UInt8($0.bytes.count)] + $0.bytes }
  return framed + [framed.flatMap(\.self)]
}
