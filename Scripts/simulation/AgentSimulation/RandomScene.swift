// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// A random scene: devices of every kind that come, go, move, and change their payloads and addresses.
enum RandomScene {
  static func script(seconds: Int, dice: inout SeededGenerator) -> SceneScript {
    var script = SceneScript()
    script.seed = dice.next()
    script.controller = controller(seconds: seconds, dice: &dice)
    let count = dice.chance(perMille: 200) ? dice.between(25, 50) : dice.between(1, 16)
    script.devices = (0..<count).map { device(number: $0, seconds: seconds, dice: &dice) }
    if dice.chance(perMille: 200) { script.periodMicroseconds = Int64(dice.between(5, 30)) * 1_000_000 }
    return script
  }

  // MARK: The controller

  private static func controller(seconds: Int, dice: inout SeededGenerator) -> ControllerScript {
    var script = dice.chance(perMille: 400) ? ControllerScript.pi : ControllerScript()
    if dice.chance(perMille: 150) { script.address = dice.pick([0, 1 << 48 - 1]) }
    script.answerMicroseconds = Int64(dice.pick([100, 1000, 20_000]))
    guard dice.chance(perMille: 600) else { return script }
    script.faults = (0..<dice.between(1, 4)).map { _ in fault(seconds: seconds, dice: &dice) }
    return script
  }

  private static let opcodes: [Opcode] = [
    .reset, .readSupportedCommands, .readLocalVersion, .readAddress, .leReadLocalFeatures, .setEventMask,
    .leSetEventMask, .leSetRandomAddress, .leSetScanParameters, .leSetScanEnable,
    .leSetExtendedScanParameters, .leSetExtendedScanEnable,
  ]

  private static func fault(seconds: Int, dice: inout SeededGenerator) -> ControllerFault {
    let some = dice.chance(perMille: 500) ? dice.between(500, 8000) : nil
    let lasting: [ControllerFault.Effect] = [
      .hardwareError(7), .silence(milliseconds: some), .unplug(milliseconds: some),
      .garbage(dice.pick([[0x04, 0x0E, 0], [0x99, 1], [0x04, 0xFF, 1, 0], [], [0x04, 0x3E, 1, 0x02]])),
    ]
    if dice.chance(perMille: 400) {
      let time = Instant(microseconds: Int64(dice.number(below: seconds * 1_000_000)))
      return ControllerFault(.time(time), dice.pick(lasting))
    }
    let answers: [ControllerFault.Effect] = [
      .late(milliseconds: dice.between(1, 3000)), .lost,
      .refused(dice.pick([.hardwareFailure, .commandDisallowed])),
    ]
    return ControllerFault(
      .command(dice.pick(opcodes)), dice.pick(lasting + answers), stage: dice.pick([.before, .after]),
      skips: dice.between(0, 3), times: dice.between(1, 3))
  }

  // MARK: Devices

  private static func device(number: Int, seconds: Int, dice: inout SeededGenerator) -> SceneDevice {
    let address = address(number: UInt64(number), dice: &dice)
    let advertising = advertising(isAnonymous: address == .anonymous, dice: &dice)
    let payloads = (0..<dice.pick([1, 1, 2, 4])).map { _ in payload(of: advertising, dice: &dice) }
    var device = SceneDevice(
      address, advertising,
      payloads: PayloadScript(cycle: payloads, turnMilliseconds: dice.pick([200, 900, 4000, 20_000])),
      intervalMilliseconds: dice.pick([60, 100, 250, 500, 1000, 3000]),
      signal: signal(seconds: seconds, dice: &dice))
    if dice.chance(perMille: 600) { device.scanResponse = response(to: advertising, dice: &dice) }
    if dice.chance(perMille: 400) { device.presence = presence(seconds: seconds, dice: &dice) }
    device.hasReading = !dice.chance(perMille: 50)
    return device
  }

  private static func address(number: UInt64, dice: inout SeededGenerator) -> AddressPlan {
    switch dice.number(below: 10) {
    case 0...3: .staticRandom(0xC0DE_0000_0000 + number)
    case 4...6: .public(0x00E0_4C00_0100 + number)
    case 7: .nonResolvable(rotationSeconds: dice.between(3, 20))
    case 8: .resolvable(key: key(number, dice: &dice), rotationSeconds: dice.between(3, 20))
    default: dice.chance(perMille: 300) ? .anonymous : .staticRandom(0xC0DE_0000_1000 + number)
    }
  }

  /// Each known device has its own key, because two devices with one identity would be one.
  private static func key(_ number: UInt64, dice: inout SeededGenerator) -> Block128 {
    let isKnown = number < Vocabulary.identities.count && dice.chance(perMille: 700)
    return isKnown ? Vocabulary.identities[Int(number)].key : Vocabulary.unknownKey
  }

  private static func advertising(isAnonymous: Bool, dice: inout SeededGenerator) -> Advertising {
    guard !isAnonymous else { return .extended(AdvertisingSet(id: 1)) }
    switch dice.number(below: 20) {
    case 0...9: return .legacy(.connectable)
    case 10...12: return .legacy(.nonConnectable)
    case 13: return .legacy(.scannable)
    case 14: return .directed(to: DeviceAddress(bits: 0x5B2C_90D1_44E8, type: .random))
    default:
      var set = AdvertisingSet(
        id: UInt8(dice.between(0, 3)),
        properties: dice.pick([.connectable, .scannable, ReportHeader.Properties(rawValue: 0)]))
      set.fragmentByteCount = dice.pick([20, 60, 229])
      set.txPower = dice.pick([ReportHeader.noTxPower, 0, 8])
      return .extended(set)
    }
  }

  private static func payload(of advertising: Advertising, dice: inout SeededGenerator) -> AdvertisingPayload
  {
    switch advertising {
    case .legacy: structures(bytesMax: 31, dice: &dice)
    case .directed: AdvertisingPayload()
    case .extended(let set):
      set.properties.contains(.scannable)
        ? AdvertisingPayload() : structures(bytesMax: dice.pick([60, 200]), dice: &dice)
    }
  }

  private static func response(to advertising: Advertising, dice: inout SeededGenerator)
    -> AdvertisingPayload?
  {
    switch advertising {
    case .legacy(.connectable), .legacy(.scannable): structures(bytesMax: 31, dice: &dice)
    case .extended(let set) where set.properties.contains(.scannable): structures(bytesMax: 90, dice: &dice)
    case .legacy, .directed, .extended: nil
    }
  }

  /// A random number of structures, as many as fit; some are malformed.
  private static func structures(bytesMax: Int, dice: inout SeededGenerator) -> AdvertisingPayload {
    var payload = AdvertisingPayload()
    for _ in 0..<dice.between(1, bytesMax > 31 ? 8 : 4) {
      let longer = structure(after: payload, dice: &dice)
      if longer.bytes.count <= bytesMax { payload = longer }
    }
    return payload
  }

  private static func structure(
    after payload: AdvertisingPayload, dice: inout SeededGenerator
  ) -> AdvertisingPayload {
    let data = dice.pick(Vocabulary.blobs) + dice.bytes(dice.between(0, 2))
    switch dice.number(below: 12) {
    case 0: return payload.flags(6)
    case 1...4: return payload.manufacturerData(dice.pick(Vocabulary.companies), data)
    case 5, 6: return payload.serviceData(dice.pick(Vocabulary.services), data)
    case 7: return payload.services(dice.pick(Vocabulary.services))
    case 8: return payload.name(dice.pick(Vocabulary.names))
    case 9: return payload.shortenedName(dice.pick(Vocabulary.names))
    case 10: return payload.txPowerLevel(Int8(dice.between(-45, 25)))
    default: return payload.raw(dice.pick([[9, 0xFF, 0xEE, 0x0E], [1, 0xFF], [2, 0x0A, 4], [0]]))
    }
  }

  // MARK: Movement

  /// Walks between far away and the gateway.
  private static func signal(seconds: Int, dice: inout SeededGenerator) -> SignalModel {
    var time = 0
    var points = [SignalPath.Point(seconds: 0, level: dice.pick([-80, -65, -52, -40]))]
    while dice.chance(perMille: 700), time < seconds {
      time += dice.between(1, 12)
      points.append(SignalPath.Point(seconds: time, level: dice.pick([-85, -70, -60, -54, -48, -42, -35])))
    }
    return SignalModel(
      SignalPath(points), sigmaTenths: dice.pick([0, 10, 25, 60]), lossPerMille: dice.pick([0, 50, 300]))
  }

  private static func presence(seconds: Int, dice: inout SeededGenerator) -> [Range<Instant>] {
    var ranges: [Range<Instant>] = []
    var time = dice.between(0, 5)
    while time < seconds {
      let end = time + dice.between(1, 20)
      ranges.append(.seconds(Int64(time), Int64(end)))
      time = end + dice.pick([1, 4, 8, 15, 40])
    }
    return ranges
  }
}
