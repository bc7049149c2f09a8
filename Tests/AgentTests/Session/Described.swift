// SPDX-License-Identifier: GPL-3.0-or-later

import InterfaceDefinition
import VarlinkClient
@testable import Agent
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink

/// Checks messages against the interface that describes them.
enum Described {
  /// Returns where a message differs from the replies of a method; nil if it matches them.
  static func mismatch(_ message: [UInt8], of method: String, in interface: any ServedInterface.Type) throws
    -> String?
  {
    let description = interface.description()
    let output = try #require(description.method(method)?.output)
    return mismatch(try reply(message).parameters, output, description)
  }

  /// Returns where an error's message differs from its interface; nil if it matches it.
  static func mismatch(ofError message: [UInt8], in interface: any ServedInterface.Type) throws -> String? {
    let description = interface.description()
    let reply = try reply(message)
    let name = try #require(reply.error)
    guard name.hasPrefix(interface.name + "."),
      let fields = description.error(String(name.dropFirst(interface.name.utf8.count + 1)))
    else { return "not an error of the interface: \(name)" }
    return mismatch(reply.parameters, fields, description)
  }

  static func reply(_ message: [UInt8]) throws -> ReceivedReply {
    #expect(message.last == 0)
    let reply = ReceivedReply(reading: Array(message.dropLast()).span)
    return try #require(reply)
  }

  private static func mismatch(
    _ object: JSONObject, _ fields: [InterfaceField], _ description: InterfaceDescription
  ) -> String? {
    do {
      try description.check(object, fields)
      return nil
    } catch {
      return error.path
    }
  }

  /// Returns the parameters of a call as the agent reads them: from bytes, and checked against the interface.
  static func parameters(_ method: SessionMethodName, _ text: String) throws -> Parameters {
    let service = Service<AgentMethod>.agent(version: "1")
    let more = method.replies == .many
    let message = "{\"method\":\"\(method.rawValue)\",\"parameters\":\(text),\"more\":\(more)}"
    guard case .call(let call) = ReceivedCall(reading: Array(message.utf8).span),
      case .perform(_, let parameters) = service.dispatch(call)
    else { throw NotACall() }
    return parameters
  }

  /// The text is not a call of the interface.
  struct NotACall: Error {}
}

/// An app and one of its accessories.
enum Sample {
  /// An app that may look for two companies, a service, a name, and networks.
  static var app: App {
    var app = App(name: "lights", account: .user("lights"))
    app.supports = [.bluetooth, .wifi]
    app.companyIdentifiers = [0x0EEE, 0]
    app.services = [BluetoothUUID(short: 0xFE0F)]
    app.names = [Array("Lumo".utf8)]
    var observed = DisplayItem(id: "sensor", name: "Lumo sensor")
    observed.descriptor.companyIdentifier = 0x0EEE
    observed.gate.lostMillisecondsMax = 10_000
    observed.selection = .observe
    app.items = [.bulb, .touchBulb, observed]
    return app
  }

  static var accessory: RegistryAccessory {
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = 0x0EEE
    descriptor.manufacturerData = MaskedBytes(blob: [0xA5, 0x5A], mask: [0xFF, 0x0F])
    descriptor.serviceUUID = BluetoothUUID(short: 0xFE0F)
    descriptor.range = .immediate
    return RegistryAccessory(
      number: 1, identifier: RandomIdentifier(high: 1, low: 0xABC), app: "lights", descriptor: descriptor,
      device: 1, state: .authorized)
  }

  static var device: RegistryDevice {
    RegistryDevice(
      number: 1, identity: .bluetooth(DeviceAddress(bits: 0xC0_00_00_00_00_01, type: .random)),
      displayName: "Kitchen", isIdentityDurable: true)
  }

  /// An accessory with every optional value.
  static var fullAccessory: AppAccessory {
    var row = Self.accessory
    row.item = "bulb"
    row.bluetoothIdentifier = RandomIdentifier(high: 2, low: 3)
    row.ssid = Array("Lumo-1".utf8)
    row.bridgingIdentifier = 0x0102_0304_0506
    row.wifiAwarePairedDeviceID = .max
    var device = Self.device
    device.bond = .bonded(BondRecord(owner: .bluetoothd, isAuthenticated: false))
    return AppAccessory(row, device, isInert: false)
  }

  static var failure: SetupError {
    SetupError(.invalidRequest, field: "items[0].name", "it has 0 bytes", cure: "use 1 to 248 bytes")
  }
}
