// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite struct AdvertisingPayloadTests {
  private let lock = BluetoothUUID(high: 0xA92E_E200_5501_11E4, low: 0x916C_0800_200C_9A66)

  @Test func everyStructureFollowsTheSupplementsLayout() {
    let payload = AdvertisingPayload().flags(0x06).name("Lumo").txPowerLevel(-4).appearance(0x0341)
      .manufacturerData(0x0EEE, [0xA5]).serviceData(BluetoothUUID(short: 0xFCD2), [0x40])
    #expect(
      payload.bytes == [
        2, 0x01, 0x06,  // flags
        5, 0x09, 0x4C, 0x75, 0x6D, 0x6F,  // complete name
        2, 0x0A, 0xFC,  // TX power level
        3, 0x19, 0x41, 0x03,  // appearance
        4, 0xFF, 0xEE, 0x0E, 0xA5,  // manufacturer data
        4, 0x16, 0xD2, 0xFC, 0x40,  // service data
      ])
  }

  @Test func uuidsOfMixedSizesGoIntoAListForEachSize() throws {
    let payload = AdvertisingPayload().services(
      BluetoothUUID(short: 0xFE0F), lock, BluetoothUUID(short: 0x1234_5678), BluetoothUUID(short: 0x180F))
    #expect(try types(payload) == [.completeServices16, .completeServices32, .completeServices128])
    #expect(
      try services(payload) == [
        BluetoothUUID(short: 0xFE0F), BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0x1234_5678), lock,
      ])
  }

  @Test func serviceDataTakesTheTypeOfItsKeysSize() throws {
    let payload = AdvertisingPayload().serviceData(BluetoothUUID(short: 0x1_0000), [1]).serviceData(lock, [2])
    #expect(try types(payload) == [.serviceData32, .serviceData128])
  }

  private func types(_ payload: AdvertisingPayload) throws -> [ADType?] {
    var types: [ADType?] = []
    var structures = ADStructures(payload.bytes.rawSpan)
    while let structure = try structures.next() { types.append(ADType(rawValue: structure.type)) }
    return types
  }

  private func services(_ payload: AdvertisingPayload) throws -> [BluetoothUUID] {
    var uuids: [BluetoothUUID] = []
    var structures = ADStructures(payload.bytes.rawSpan)
    while let structure = try structures.next() {
      guard case .services(let list) = try structure.decoded() else { continue }
      for index in 0..<list.count { uuids.append(list[index]) }
    }
    return uuids
  }
}
