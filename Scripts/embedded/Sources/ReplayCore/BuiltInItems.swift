// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI

/// The items every replay looks for: each kind of clause, each range, and keys that occur in the bundled capture and
/// in captures of offices and flats.
enum BuiltInItems {
  static let count = 10

  static var size: Pipeline.Size {
    Pipeline.Size(matcher: Matcher.Size(descriptors: count, items: count, bytes: 256), identities: 1)
  }

  static func add(to pipeline: inout Pipeline) {
    addLights(to: &pipeline)
    addSensors(to: &pipeline)
    addCommonItems(to: &pipeline)
    pipeline.add(
      IdentityKey(
        key: Block128(high: 0x8F1C_6E20_B7D3_4A95, low: 0x0D62_E9F4_7135_A8CB),
        identity: DeviceAddress(bits: 0xD0E3_4C5B_0201, type: .random)))
    pipeline.matcher.compile()
  }

  /// Data under a mask at the gate; a name that ends so, of any case; a service in the advertisement with a name in
  /// the scan response.
  private static func addLights(to pipeline: inout Pipeline) {
    var bulb = DescriptorClauses()
    bulb.companyIdentifier = 0x0EEE
    bulb.manufacturerBlob = pipeline.matcher.store([0xA5, 0x5A, 0x00, 0x10] as [4 of UInt8])
    bulb.manufacturerMask = pipeline.matcher.store([0xFF, 0xFF, 0x00, 0xF0] as [4 of UInt8])
    pipeline.add(bulb, item: 0, gate: immediate(enter: -50, leave: -58))
    var tag = DescriptorClauses()
    tag.companyIdentifier = 0x0EEF
    tag.name = pipeline.matcher.store([0x2D, 0x54, 0x41, 0x47] as [4 of UInt8])  // "-TAG"
    tag.nameOptions = .anchored.union(.backwards).union(.caseInsensitive)
    pipeline.add(tag, item: 1)
    var lock = DescriptorClauses()
    lock.serviceUUID = BluetoothUUID(high: 0x7B1F_0001_3A52_4C8E, low: 0x9D60_2F4E_8A6C_1B05)
    lock.name = pipeline.matcher.store([0x4C, 0x6F, 0x63, 0x6B, 0x2D] as [5 of UInt8])  // "Lock-"
    lock.nameOptions = .anchored
    pipeline.add(lock, item: 2)
  }

  /// Service data under a mask, service UUIDs alone, and both keys of one advertiser.
  private static func addSensors(to pipeline: inout Pipeline) {
    var thermometer = DescriptorClauses()
    thermometer.serviceUUID = BluetoothUUID(short: 0xFCD2)
    thermometer.serviceBlob = pipeline.matcher.store([0x40] as [1 of UInt8])
    thermometer.serviceMask = pipeline.matcher.store([0xE1] as [1 of UInt8])
    pipeline.add(thermometer, item: 3)
    var heart = DescriptorClauses()
    heart.serviceUUID = BluetoothUUID(short: 0x180D)
    pipeline.add(heart, item: 4, gate: immediate(enter: -65, leave: -70))
    var television = DescriptorClauses()
    television.serviceUUID = BluetoothUUID(short: 0xFE9F)
    television.serviceBlob = pipeline.matcher.store([0x00, 0x00] as [2 of UInt8])
    television.serviceMask = pipeline.matcher.store([0xFF, 0xFF] as [2 of UInt8])
    pipeline.add(television, item: 5)
  }

  /// What nearly every capture holds: many devices on one company, with and without a gate, by level and path loss.
  private static func addCommonItems(to pipeline: inout Pipeline) {
    var apple = DescriptorClauses()
    apple.companyIdentifier = 0x004C
    pipeline.add(apple, item: 6)
    var beacon = apple
    beacon.manufacturerBlob = pipeline.matcher.store([0x02, 0x15] as [2 of UInt8])
    beacon.manufacturerMask = pipeline.matcher.store([0xFF, 0xFF] as [2 of UInt8])
    var byPathLoss = immediate(enter: -50, leave: -58)
    byPathLoss.txPower = -10
    byPathLoss.enterPathLoss = 58
    byPathLoss.leavePathLoss = 64
    pipeline.add(beacon, item: 7, gate: byPathLoss)
    var microsoft = DescriptorClauses()
    microsoft.companyIdentifier = 0x0006
    microsoft.manufacturerBlob = pipeline.matcher.store([0x01] as [1 of UInt8])
    microsoft.manufacturerMask = pipeline.matcher.store([0xFF] as [1 of UInt8])
    pipeline.add(microsoft, item: 8, gate: immediate(enter: -75, leave: -80))
    var printer = DescriptorClauses()
    printer.companyIdentifier = 0x0065
    printer.name = pipeline.matcher.store([0x6A, 0x65, 0x74] as [3 of UInt8])  // "jet"
    printer.nameOptions = .caseInsensitive
    pipeline.add(printer, item: 9)
  }

  private static func immediate(enter: Int8, leave: Int8) -> GateSettings {
    var gate = GateSettings()
    gate.isImmediate = true
    gate.enterRSSI = enter
    gate.leaveRSSI = leave
    return gate
  }
}

extension Pipeline {
  fileprivate mutating func add(_ clauses: DescriptorClauses, item: Int, gate: GateSettings = GateSettings())
  {
    matcher.add(clauses, item: Int32(item))
    setGate(gate, item: item)
  }
}

extension Matcher {
  fileprivate mutating func store<let count: Int>(_ bytes: [count of UInt8]) -> StoredBytes {
    let span = bytes.span
    return store(span.rawBytes)
  }
}
