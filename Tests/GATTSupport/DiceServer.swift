// SPDX-License-Identifier: GPL-3.0-or-later

public import GATT

/// A server with services as accessories have them: dice, with a roll that is notified, a setting, a long text, and a
/// value that needs encryption; the device's battery; and Service Changed.
public struct DiceServer: Sendable {
  public static let service = AttributeUUID(high: 0x1234_5678_1234_1234, low: 0x1234_1234_5678_9ABC)
  public static let rollUUID = AttributeUUID(high: 0x1234_5679_1234_1234, low: 0x1234_1234_5678_9ABC)
  public static let settingUUID = AttributeUUID(0xFF01)
  public static let textUUID = AttributeUUID(0xFF02)
  public static let secretUUID = AttributeUUID(0xFF03)
  public static let pressUUID = AttributeUUID(0xFF04)
  public static let batteryService = AttributeUUID(0x180F)
  public static let batteryUUID = AttributeUUID(0x2A19)

  public var model = ServerModel()
  public let changedHandle: UInt16
  public let diceHandle: UInt16
  public let rollHandle: UInt16
  public let settingHandle: UInt16
  public let textHandle: UInt16
  public let secretHandle: UInt16
  public let pressHandle: UInt16
  public let batteryHandle: UInt16

  public init() {
    model.addService(.genericAttribute)
    changedHandle = model.addCharacteristic(.serviceChanged, properties: 0x20)
    model.addDescriptor(.clientConfiguration, value: [0, 0])
    let battery = model.addService(Self.batteryService)
    batteryHandle = model.addCharacteristic(Self.batteryUUID, properties: 0x02, value: [97])
    model.skipHandles(8)
    diceHandle = model.addService(Self.service, including: [battery])
    rollHandle = model.addCharacteristic(Self.rollUUID, properties: 0x12, value: [1])
    model.addDescriptor(.clientConfiguration, value: [0, 0])
    model.addDescriptor(AttributeUUID(0x2901), value: Array("Last roll".utf8))
    settingHandle = model.addCharacteristic(Self.settingUUID, properties: 0x0E, value: [6])
    textHandle = model.addCharacteristic(Self.textUUID, properties: 0x0A, value: Array("short".utf8))
    secretHandle = model.addCharacteristic(
      Self.secretUUID, properties: 0x0A, value: [42], needsEncryption: true)
    pressHandle = model.addCharacteristic(Self.pressUUID, properties: 0x20)
    model.addDescriptor(.clientConfiguration, value: [0, 0])
  }
}
