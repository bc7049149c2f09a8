// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import SessionClient
import VirtualRadio

/// A connection between a session client and the agent, with the bytes that are under way.
struct Wire {
  /// nil after the agent closed it.
  var client: ClientID?
  var toAgent: [UInt8] = []
  var toApp: [UInt8] = []
  /// Nothing arrives at the app before this time.
  var heldUntil: Int64 = 0
}

/// An app: a session client, its connections, and random calls.
struct SimulatedApp {
  static let user: UInt32 = 1000

  var client = SessionClient(app: "lights")
  var wires: [SessionLinkID: Wire] = [:]
  var oracle = SessionOracle()
  var nextAct: Int64 = 0
  /// The app reads nothing before this time.
  var stalledUntil: Int64 = 0
  private var nextCall: UInt64 = 0
  private var hasStarted = false
  /// The `bluetoothIdentifier` of an accessory that the app wanted to remove.
  private var formerIdentifier: String?

  /// The next thing that the app does.
  mutating func act(_ dice: inout SeededGenerator) -> SessionInput {
    guard hasStarted else {
      hasStarted = true
      return .activate
    }
    return beginCall(request(&dice))
  }

  private mutating func beginCall(_ request: SessionRequest) -> SessionInput {
    let id = CallID(nextCall)
    nextCall += 1
    return .begin(id, request)
  }

  private mutating func request(_ dice: inout SeededGenerator) -> SessionRequest {
    let known = oracle.accessories
    let any = known.isEmpty ? nil : known[dice.number(below: known.count)]
    let identifier = any?.identifier ?? String(repeating: "0", count: 32)
    switch dice.number(below: oracle.isPresented ? 14 : 10) {
    case 0...3:
      let options: UInt = dice.chance(perMille: 300) ? 1 : 0
      return .showPicker(
        items: items(&dice), settings: RequestedSettings(discoveryTimeout: "5", options: options))
    case 4:
      formerIdentifier = any?.bluetoothIdentifier ?? formerIdentifier
      return .removeAccessory(identifier)
    case 5: return .renameAccessory(identifier, options: 0)
    case 6, 7:
      let waiting = known.first { $0.state == 10 }?.identifier ?? identifier
      if dice.chance(perMille: 300) { return .failAuthorization(waiting) }
      return .finishAuthorization(waiting, ssid: nil, bridgingIdentifier: nil)
    case 8: return .resolve(identifier)
    case 9: return dice.chance(perMille: 500) ? .watchAdvertisements : .connect(accessory: identifier)
    case 10: return .cancelPicker
    case 11: return .finishPickerDiscovery
    default:
      let shown = oracle.discovered.prefix(3)
      return .updatePicker(
        shown.map { ShownDevice(discovered: $0, name: "Shown", productImage: nil, setupOptions: 1) })
    }
  }

  private func items(_ dice: inout SeededGenerator) -> [RequestedItem]? {
    guard dice.chance(perMille: 700) else { return nil }
    var descriptor = DescriptorLine()
    // A company that the app does not declare is refused.
    descriptor.bluetoothCompanyIdentifier = dice.chance(perMille: 950) ? 0x0EEE : 0x0EEF
    var item = RequestedItem(
      name: "Lumo bulb", productImage: nil, descriptor: descriptor,
      setupOptions: [0, 1, 2, 3, 4][dice.number(below: 5)], renameOptions: 0)
    guard dice.chance(perMille: 150) else { return [item] }
    let search = item
    // BlueZ knows four bulbs.
    let address = SimulatedGateway.addressForm(UInt64(1 + dice.number(below: 5)))
    let identifier = dice.chance(perMille: 500) ? formerIdentifier ?? address : address
    item.migration = RequestedItem.Migration(bluetoothIdentifier: identifier, ssid: nil)
    return dice.chance(perMille: 500) ? [item] : [item, search]
  }
}
