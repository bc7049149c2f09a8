// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Interfaces
import JSON
import Manifest

extension KnownLayout {
  private static let shellyCompany: UInt16 = 0x0BA9

  /// Blocks of type and value: 01 flags (2 bytes), 0A address (6 bytes), 0B model (2 bytes)
  /// (Shelly, "BLE Devices", Common features, and shelly-ble of the BTHome parser; checked on recorded devices).
  @Sendable static func shelly(_ source: LastingFields) -> SuggestionCandidate? {
    guard let data = source.data(of: shellyCompany) else { return nil }
    var candidate = SuggestionCandidate("Shelly", company: shellyCompany)
    for payload in data.variants {
      guard let place = shellyModel(in: payload.map(\.value)),
        payload[(place - 1)...(place + 1)].allSatisfy({ $0.mask == 0xFF })
      else { continue }
      candidate.notes = ["The item asks for the model; flags, address and readings are left out."]
      let before = [BytePattern](repeating: .any, count: place - 1)
      candidate.ask(before + payload[(place - 1)...(place + 1)])
      return candidate
    }
    candidate.notes = ["No block of the device names its model; the item asks for the company alone."]
    return candidate
  }

  /// Where the two bytes of the model stand.
  private static func shellyModel(in payload: [UInt8]) -> Int? {
    let byteCounts: [UInt8: Int] = [0x01: 2, 0x0A: 6, 0x0B: 2]
    var place = 0
    while place < payload.count, let byteCount = byteCounts[payload[place]], place + byteCount < payload.count
    {
      if payload[place] == 0x0B { return place + 1 }
      place += 1 + byteCount
    }
    return nil
  }

  private static let switchBotServices = [BluetoothUUID(short: 0xFD3D), BluetoothUUID(short: 0x0D00)]
  private static let switchBotCompany: UInt16 = 0x0969

  /// Service data begin with the device type in bits 0 to 6 (SwitchBot, "BLE Open API", Device Types; FD3D, and 0D00
  /// before the firmware of 2021). Manufacturer data are the address and readings.
  @Sendable static func switchBot(_ source: LastingFields) -> SuggestionCandidate? {
    for service in switchBotServices {
      guard let type = source.data(of: service)?.all.first else { continue }
      var candidate = SuggestionCandidate("SwitchBot", service: service)
      candidate.ask(
        [type], bits: 0x7F, called: "the device type", leavingOut: "status, battery and readings")
      return candidate
    }
    return nil
  }

  /// What finds it without a scan response.
  @Sendable static func switchBotMaker(_ source: LastingFields) -> SuggestionCandidate? {
    guard source.data(of: switchBotCompany) != nil else { return nil }
    return SuggestionCandidate(
      "SwitchBot", company: switchBotCompany,
      "The device type stands in the scan response; the item does without it, and finds every device of the maker."
    )
  }

  private static let xiaomiService = BluetoothUUID(short: 0xFE95)

  /// Frame control (2 bytes), product identifier (2 bytes), frame counter, then what frame control names: address,
  /// capability, objects (Xiaomi, "Mijia BLE Broadcasting Protocol MiBeacon v4", Format).
  @Sendable static func xiaomi(_ source: LastingFields) -> SuggestionCandidate? {
    guard let frame = source.data(of: xiaomiService)?.frame(bytesMin: 5), isXiaomi(frame, source.address)
    else { return nil }
    var candidate = SuggestionCandidate("Xiaomi MiBeacon", service: xiaomiService)
    candidate.ask(
      [frame[2], frame[3]], after: [.any, .any], called: "the product identifier",
      leavingOut: "frame control, counter, address and readings")
    candidate.needsUnits = true
    return candidate
  }

  /// Whether frame control has a version and names no more than there is: bit 4 the address, bit 5 the capability, bits
  /// 12 to 15 the version, 2 to 5. What changes may be anything.
  private static func isXiaomi(_ frame: [BytePattern], _ address: DeviceAddress) -> Bool {
    let (flags, version) = (frame[0].value & frame[0].mask, frame[1].value >> 4)
    guard frame[1].mask & 0xF0 != 0xF0 || (2...5).contains(version) else { return false }
    let hasAddress = flags & 0x10 != 0
    guard frame.count >= 5 + (hasAddress ? 6 : 0) + (flags & 0x20 != 0 ? 1 : 0) else { return false }
    return !hasAddress || address.lifetime != .durable
      || (0..<6).allSatisfy { index in
        let byte = frame[5 + index]
        return byte.mask == 0xFF && byte.value == UInt8(truncatingIfNeeded: address.bits >> UInt64(8 * index))
      }
  }

  private static let goveeService = BluetoothUUID(short: 0xEC88)
  private static let goveeNames = ["GVH5", "GV5", "Govee", "B5178"].map { Array($0.utf8) }

  /// Manufacturer data (EC88, 0001 and others) hold only readings and battery; the model stands in the name, before
  /// the last four digits of the address (Govee publishes no layout; names and companies of recorded devices).
  @Sendable static func govee(_ source: LastingFields) -> SuggestionCandidate? {
    let name = source.names.lazy.map(\.beginning).first { name in
      goveeNames.contains { name.starts(with: $0) }
    }.map(goveeModel)
    let isGovee = source.services.contains(goveeService) || source.data(of: 0xEC88) != nil
    guard name != nil || isGovee else { return nil }
    let companies = source.companies.map(\.key)
    let company = [0xEC88, 0x0001].first(where: companies.contains) ?? companies.first
    var candidates: [SuggestionCandidate] = []
    if source.services.contains(goveeService) {
      candidates.append(SuggestionCandidate("Govee", service: goveeService))
    }
    if let company { candidates.append(SuggestionCandidate("Govee", company: company)) }
    // What stands in the scan response gives way to a name in the advertisement.
    if !candidates.isEmpty, let name,
      source.names.contains(where: { $0.isInData && $0.beginning.starts(with: name) })
    {
      candidates.append(SuggestionCandidate("Govee"))
      candidates[candidates.count - 1].ask(nameBeginningWith: name, of: source.source)
    }
    for index in candidates.indices {
      if let name, candidates[index].ask(nameBeginningWith: name, of: source.source) {
        candidates[index].notes = [
          "The item asks for the model in the name; readings and battery are left out."
        ]
      } else {
        candidates[index].notes = [
          "The model stands in the name, which was not received; the item finds every device of the maker."
        ]
      }
    }
    return candidates.first { !$0.needsScanResponse(of: source.source) } ?? candidates.first
  }

  /// The name without four digits at its end, which are the address's.
  private static func goveeModel(_ name: [UInt8]) -> [UInt8] {
    let tail = name.suffix(4)
    let isAddress = name.count >= 9 && tail.allSatisfy { $0.isUpperHexDigit }
    return isAddress ? Array(name.dropLast(4)) : name
  }

  private static let ruuviCompany: UInt16 = 0x0499

  /// The first byte is the data format: 03, 05, 06, C5, E1 (Ruuvi, "Bluetooth Advertisements", Data Formats). The rest
  /// are readings, counters and the address.
  @Sendable static func ruuvi(_ source: LastingFields) -> SuggestionCandidate? {
    guard let format = source.data(of: ruuviCompany)?.all.first else { return nil }
    let number = format.mask == 0xFF ? " data format \(Hex([format.value]).text.uppercased())" : ""
    var candidate = SuggestionCandidate("Ruuvi\(number)", company: ruuviCompany)
    candidate.ask(
      [format], called: "the data format", leavingOut: "readings, battery, counters and address")
    return candidate
  }

  private static let bthomeService = BluetoothUUID(short: 0xFCD2)
  /// Version 1, plain and encrypted.
  private static let oldBTHomeServices = [BluetoothUUID(short: 0x181C), BluetoothUUID(short: 0x181E)]

  /// The first byte is the device information: bit 0 encryption, bit 2 whether it sends only on an event, bits 5 to 7
  /// the version (BTHome, "BTHome v2 format", BTHome Data format). Objects follow: packet number and readings. Version
  /// 1 has no such byte ("BTHome v1 format").
  @Sendable static func bthome(_ source: LastingFields) -> SuggestionCandidate? {
    var candidate: SuggestionCandidate
    if let information = source.data(of: bthomeService)?.all.first {
      // Bits 3 and 4 are reserved.
      guard information.mask & 0xE0 == 0xE0, information.value & information.mask & 0xF8 == 0x40 else {
        return nil
      }
      let isOnEvents = information.value & information.mask & 0x04 != 0
      let asked =
        isOnEvents ? "the version, and for the mark of a device that sends only on an event" : "the version"
      candidate = SuggestionCandidate("BTHome", service: bthomeService)
      candidate.ask(
        [information], bits: isOnEvents ? 0xE4 : 0xE0, called: asked,
        leavingOut: "encryption, packet number and readings")
      candidate.needsUnits = true
    } else if let service = oldBTHomeServices.first(where: { source.data(of: $0) != nil }) {
      candidate = SuggestionCandidate(
        "BTHome 1", service: service,
        "The item asks for the service alone; packet number and readings are left out.")
    } else {
      return nil
    }
    return candidate
  }

  /// The same with the name.
  @Sendable static func bthomeWithName(_ source: LastingFields) -> SuggestionCandidate? {
    guard var candidate = bthome(source),
      let name = source.names.first(where: { $0.beginning.count >= NameBeginning.bytesMin }),
      candidate.ask(nameBeginningWith: name.beginning, of: source.source)
    else { return nil }
    candidate.notes.append("BTHome names no model, so the item asks for the name.")
    return candidate
  }
}

extension UInt8 {
  fileprivate var isUpperHexDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x46).contains(self) }
}
