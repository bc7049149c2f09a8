// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import BlueZ
import BusSupport
import DBus
import HCI
import Pairing
import TestSupport

/// What a bus sends after the authentication: to a program that reads bluetoothd's devices, and to an agent that pairs. Bytes
/// that begin with a line of the authentication have no other before them.
func fuzzBus(_ bytes: RawSpan) {
  let isAuthentication = ["DATA", "OK ", "REJ", "ERR"].contains { bytes.bytes.starts(with: Array($0.utf8)) }
  let received = (isAuthentication ? [] : Array("OK 00ff\r\n".utf8)) + bytes.bytes
  readDevices(received)
  pairOverBus(received)
}

/// Bytes that come in two pieces mean the same as bytes that come at once.
private func readDevices(_ bytes: [UInt8]) {
  func events(_ pieces: [ArraySlice<UInt8>]) -> [BusConnection.Event] {
    var bus = BusConnection(wantsDescriptors: false, messageBytesMax: 1 << 20)
    bus.export("/io/accessoryd/agent", "org.bluez.Agent1", ["RequestConfirmation"])
    _ = bus.call(.call("GetManagedObjects", "i.i", of: "/", at: "org.bluez"), until: 1000)
    let events = pieces.flatMap { bus.receive($0) } + bus.advance(to: 1000)
    let ends = events.filter { if case .closed = $0 { true } else { false } }
    precondition(ends.count <= 1 && (ends.isEmpty || bus.unsent.isEmpty), "a connection ends once")
    precondition(bus.deadline == nil, "a call has a reply, or none any more")
    return events
  }
  let whole = events([bytes[...]])
  let middle = bytes.count / 2
  precondition(whole == events([bytes[..<middle], bytes[middle...]]), "pieces mean the same")
  for case .reply(_, let message) in whole { _ = try? KnownDevice.devices(in: message) }
}

/// A pairing over the bus, to which the bytes come in small pieces. Once everything is read, it has a minute to end.
private func pairOverBus(_ bytes: [UInt8]) {
  var (pairing, client) = (BluetoothdPairing(), BluetoothdClient?.none)
  var (now, endCount) = (Instant(microseconds: 0), 0)

  func receive(_ events: [BusEvent]) {
    for event in events { pairing.receive(event, at: now) }
    pairing.checkInvariants()
    _ = pairing.takeCommands()
    if let isOpen = pairing.takeBusChange() { client = isOpen ? BluetoothdClient() : nil }
    for call in pairing.takeCalls() {
      if let reply = client?.send(call, at: now) { pairing.receive(reply, at: now) }
    }
    for action in pairing.takeActions() {
      switch action {
      case .ask(let id, .compare): _ = pairing.answer(id, .digitsMatch(true), at: now)
      case .ask(let id, .enterDigits): _ = pairing.answer(id, .digits(1), at: now)
      case .ended: endCount += 1
      default: break
      }
    }
  }

  pairing.open(adapter: 0, address: 0, at: now)
  let device = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
  pairing.pair(PairingRequest(PairingID(1), device, .keyboardDisplay), at: now)
  receive([])
  for start in stride(from: 0, to: bytes.count, by: 64) {
    receive(client?.receive(bytes[start..<min(start + 64, bytes.count)]) ?? [])
    if let count = client?.unsent.count { client?.wasSent(count) }
  }
  let end = now.advanced(milliseconds: 2 * PairingRequest.milliseconds)
  while let due = Instant.earliest(pairing.deadline, client?.deadline), due <= end {
    now = max(now, due)
    receive(client?.advance(to: now) ?? [])
    pairing.advance(to: now)
    receive([])
  }
  precondition(endCount == 1, "a pairing ends once")
}

var busSeeds: [[UInt8]] {
  func object(_ body: inout BusBytes) {
    body.interface("org.bluez.Device1") { properties in
      properties.property("Address", "s") { $0.string("C4:A1:00:00:1E:27") }
      properties.property("AddressType", "s") { $0.string("random") }
      properties.property("Paired", "b") { $0.number(1, 4) }
      properties.property("UUIDs", "as") { value in value.array(4) { $0.string("fe0f") } }
    }
  }
  let objects = [false, true].map { isBigEndian in
    BusBytes.reply("a{oa{sa{sv}}}", isBigEndian: isBigEndian) { body in
      body.array(8) { objects in
        objects.structure { entry in
          entry.string("/org/bluez/hci0/dev_C4_A1_00_00_1E_27")
          object(&entry)
        }
      }
    }
  }
  let from = BusField.sender(":1.2")
  let hello = BusBytes.message(.reply, serial: 1, [.replySerial(1), .signature("s")]) { $0.string(":1.7") }
  // The client asks for the owner with its third message.
  let owner = BusBytes.message(.reply, serial: 2, [.replySerial(3), .signature("s")]) { $0.string(":1.2") }
  let manager = BusField.interface("org.freedesktop.DBus.ObjectManager")
  let added = BusBytes.message(
    .signal, serial: 3, [.path("/"), manager, .member("InterfacesAdded"), from, .signature("oa{sa{sv}}")]
  ) { body in
    body.string("/d")
    object(&body)
  }
  let asked = BusBytes.message(
    .call, serial: 4,
    [
      .path("/io/accessoryd/agent"), .interface("org.bluez.Agent1"), .member("RequestConfirmation"), from,
      .signature("ou"),
    ]
  ) { body in
    body.string("/d")
    body.number(123_456, 4)
  }
  let refused = BusBytes.message(
    .error, serial: 5, [.replySerial(7), .error("org.bluez.Error.NotReady"), .signature("s")]
  ) { $0.string("Resource Not Ready") }
  let conversation = hello + owner + added + asked + refused
  return objects + [conversation, Array("DATA\r\nOK 00ff\r\n".utf8) + conversation]
}
