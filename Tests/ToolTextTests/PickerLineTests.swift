// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Testing

@Suite("A line of what waits for operators")
struct PickerLineTests {
  private static let id = "00112233445566778899aabbccddeeff"

  private static let setup = RequestLine(
    request: id, kind: .setup, app: "lights", isOnBehalf: true, since: Seconds(microseconds: 1_500_000),
    end: Seconds(microseconds: 31_500_000), phase: .choosing,
    items: [
      RequestItemLine(
        item: "bulb", name: "Lumo bulb", productImage: "lumo.png", asksForName: true, isImmediate: true),
      RequestItemLine(item: nil, name: "Hub", finishesInApp: true, ssidPrefix: "HUB-"),
    ],
    usesTouch: true, isFiltered: true, disclosed: 3, remaining: 2, hidden: 1, turnedAway: 4, tooSlow: 5,
    detail: "two devices were held at once")

  private static let authorize = RequestLine(
    request: id, kind: .authorize, app: "lights", since: Seconds(microseconds: 0), end: nil,
    phase: .answering, accessory: id, displayName: "Küche", renamesSSID: false, adds: ["the network HUB-1"])

  private static let candidate = CandidateLine(
    candidate: 7, itemIndex: 0, name: "Lumo bulb", productImage: "lumo.png",
    deviceName: AirText([0x4C, 0xFF]), address: DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random),
    rssi: -44, filteredRSSI: nil, silence: Seconds(microseconds: 250_000), isIdentityDurable: true,
    isShared: false)

  private static let sleeping = {
    var line = candidate
    (line.intervalMilliseconds, line.rhythmMilliseconds) = (110, 60_000)
    return line
  }()

  private static let network = CandidateLine(
    candidate: 8, itemIndex: 1, name: "Camera",
    ssid: AirText([0x43, 0xFF]), security: .wpa2, rssi: -61, silence: Seconds(microseconds: 250_000),
    isIdentityDurable: true, isShared: true)

  private static let cameras: RequestLine = {
    var item = RequestItemLine(item: "camera", name: "Camera")
    item.isFoundByNetwork = true
    item.reasonNothingIsFound = "never"
    return RequestLine(
      request: id, kind: .setup, app: "cameras", since: Seconds(microseconds: 0), end: nil, phase: .looking,
      items: [item])
  }()

  private static let replies: [PickerReply] = [
    .request(setup), .request(authorize), .request(cameras), .candidate(candidate, of: id),
    .candidate(sleeping, of: id),
    .candidate(network, of: id), .gone(7, of: id),
    .closed(id, RequestEnding(accessory: id, displayName: "Küche")),
    .closed(id, RequestEnding(failure: "userCancelled", reason: "no operator chose a device in 10 minutes")),
    .closed(id, RequestEnding()), .synced,
  ]

  private func object(_ json: [UInt8]) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(json.span) else { throw CancellationError() }
    return object
  }

  @Test("Comes back as it was written", arguments: replies)
  func roundTrip(reply: PickerReply) throws {
    let read = try PickerReply(try object(reply.json))
    #expect(read == reply)
    #expect(read.json == reply.json)
  }

  @Test("Has its members in the interface's order, and leaves out what is not there")
  func order() throws {
    let text = String(decoding: PickerReply.candidate(Self.candidate, of: Self.id).json, as: UTF8.self)
    #expect(
      text == #"""
        {"of":"\#(Self.id)","candidate":{"candidate":7,"itemIndex":0,"name":"Lumo bulb","productImage":"lumo.png",\#
        "deviceName":"L\#u{FFFD}","deviceNameHex":"4cff","address":"C4:A1:00:00:1E:27","addressType":"random",\#
        "rssi":-44,"silence":0.250000,"isIdentityDurable":true,"isShared":false}}

        """#)
    #expect(
      String(decoding: PickerReply.candidate(Self.network, of: Self.id).json, as: UTF8.self) == #"""
        {"of":"\#(Self.id)","candidate":{"candidate":8,"itemIndex":1,"name":"Camera","ssid":"C\#u{FFFD}",\#
        "ssidHex":"43ff","security":"wpa2","rssi":-61,"silence":0.250000,"isIdentityDurable":true,"isShared":true}}

        """#)
    #expect(
      String(decoding: PickerReply.request(Self.authorize).json, as: UTF8.self) == #"""
        {"request":{"request":"\#(Self.id)","kind":"authorize","app":"lights","isOnBehalf":false,"since":0.000000,\#
        "phase":"answering","items":[],"usesTouch":false,"isFiltered":false,"disclosed":0,"remaining":0,\#
        "hidden":0,"accessory":"\#(Self.id)","displayName":"Küche","renamesSSID":false,"adds":["the network HUB-1"]}}

        """#)
  }

  @Test("Names the member that is missing, of another type, or unknown")
  func problems() throws {
    let candidate = try object(Self.candidate.json)
    for (damaged, problem) in [
      (
        candidate.with("addressType", .string("anonymous")),
        JSONMemberError(path: "address", kind: .unknownValue)
      ),
      (candidate.with("itemIndex", .integer(-1)), JSONMemberError(path: "itemIndex", kind: .unknownValue)),
      (candidate.without("isShared"), JSONMemberError(path: "isShared", kind: .missing)),
    ] {
      #expect(throws: problem) { try CandidateLine(damaged) }
    }
    #expect(throws: JSONMemberError(path: "isSynced", kind: .missing)) { try PickerReply(JSONObject()) }
    let setup = try object(Self.setup.json)
    #expect(throws: JSONMemberError(path: "phase", kind: .unknownValue)) {
      try RequestLine(setup.with("phase", .string("waiting")))
    }
    #expect(throws: JSONMemberError(path: "items[0]", kind: .wrongType)) {
      try RequestLine(setup.with("items", .array([.null])))
    }
  }

  @Test("Whatever stands in a member, reading ends", arguments: replies)
  func everyMemberReplaced(reply: PickerReply) throws {
    let values: [JSONValue] = [
      .null, .bool(false), .integer(-1), .integer((1 << 53) - 1), .double(-.greatestFiniteMagnitude),
      .string(""), .string("\u{1B}ff"), .array([]), .array([.null]), .object(JSONObject()),
    ]
    let element = JSONValue.object(try object(reply.json))
    for place in 0..<element.count {
      for value in values {
        var left = place
        guard case .object(let replaced) = element.replacing(&left, with: value) else { continue }
        do throws(JSONMemberError) { _ = try PickerReply(replaced).json } catch {
          #expect(!error.path.isEmpty)
        }
      }
    }
  }
}
