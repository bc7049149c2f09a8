// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Testing
@testable import ToolText

@Suite("Lines of accessories and of the registry")
struct AccessoryLineTests {
  static let bulb = AccessoryLine(
    identifier: "0123456789abcdef0000000000000001", app: "lights", item: "bulb",
    displayName: "Desk \u{1B}[2J", state: .authorized, status: .active,
    address: DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random), ssid: nil, bond: .bonded,
    isIdentityDurable: true, isInSight: true, filteredRSSI: -44, addedAt: 1_700_000_000)
  static let camera = AccessoryLine(
    identifier: String(repeating: "f", count: 32), app: "cameras", item: nil, displayName: "Camera",
    state: .awaitingAuthorization, status: .suspended, address: nil, ssid: AirText([0x63, 0xFF]),
    bond: .none, isIdentityDurable: false, isInSight: false, filteredRSSI: nil, addedAt: nil)

  private func object(_ line: some Line) throws -> JSONObject {
    var writer = JSONWriter()
    line.write(to: &writer)
    guard case .object(let object) = try JSONReader.read(writer.takeBytes().span) else {
      throw CancellationError()
    }
    return object
  }

  private func text(_ line: some Line) -> String {
    var writer = JSONWriter()
    line.write(to: &writer)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  @Test("An accessory is written in the order of its interface")
  func order() {
    #expect(
      text(Self.bulb) == #"""
        {"identifier":"0123456789abcdef0000000000000001","app":"lights","item":"bulb",\#
        "displayName":"Desk \u001b[2J","state":"authorized","status":"active","address":"C4:A1:00:00:1E:27",\#
        "addressType":"random","bond":"bonded","isIdentityDurable":true,"isInSight":true,"filteredRSSI":-44,\#
        "addedAt":1700000000}

        """#)
    #expect(
      text(Self.camera) == #"""
        {"identifier":"ffffffffffffffffffffffffffffffff","app":"cameras",\#
        "displayName":"Camera","state":"awaitingAuthorization","status":"suspended",\#
        "ssid":"c\#u{FFFD}","ssidHex":"63ff","bond":"none","isIdentityDurable":false,\#
        "isInSight":false}

        """#)
  }

  @Test("Every state, status and bond comes back as it was written")
  func roundTrip() throws {
    for line in [Self.bulb, Self.camera] { #expect(try AccessoryLine(object(line)) == line) }
    for state in AccessoryLine.State.allCases {
      for status in AccessoryStatus.allCases {
        for bond in BondState.allCases {
          let line = AccessoryLine(
            identifier: Self.bulb.identifier, app: "a", item: nil, displayName: "", state: state,
            status: status, address: nil, ssid: nil, bond: bond, isIdentityDurable: true,
            isInSight: false, filteredRSSI: nil, addedAt: 0)
          #expect(try AccessoryLine(object(line)) == line)
        }
      }
    }
    let lines: [RegistryLine] = [
      RegistryLine(state: .opening, accessories: 0), RegistryLine(state: .open, accessories: 3),
      RegistryLine(state: .degraded, sentence: "The disk is full.", accessories: 2),
      RegistryLine(removed: RegistryLine.Removed(app: "lights", item: "bulb", device: "C4:A1:00:00:1E:27")),
      RegistryLine(
        former: RegistryLine.Former(
          app: "lights", bluetoothIdentifier: "1d00000000000007fffffffffffffff8", device: "C4:A1:00:00:1E:28")
      ),
      RegistryLine(unpairing: RegistryLine.Unpairing(device: "C4:A1:00:00:1E:29")),
    ]
    for line in lines { #expect(try RegistryLine(object(line)) == line) }
  }

  @Test(
    "The member that is wrong is named",
    arguments: [
      ("identifier", JSONValue.string("0123"), JSONMemberError.Kind.unknownValue),
      ("identifier", .null, .wrongType), ("state", .integer(20), .wrongType),
      ("status", .string("bad"), .unknownValue), ("address", .string("C4:A1"), .unknownValue),
      ("addressType", .null, .wrongType), ("addressType", .string("anonymous"), .unknownValue),
      ("filteredRSSI", .integer(300), .unknownValue), ("isInSight", .integer(1), .wrongType),
    ])
  func problems(name: String, value: JSONValue, kind: JSONMemberError.Kind) throws {
    let members = try object(Self.bulb).members.map {
      $0.name == name ? JSONObject.Member(name: name, value: value) : $0
    }
    let wrong = name == "addressType" && kind == .unknownValue ? "address" : name
    #expect(throws: JSONMemberError(path: wrong, kind: kind)) { try AccessoryLine(JSONObject(members)) }
  }
}
