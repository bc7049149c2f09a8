// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import PickerScreen
import ToolText

/// Requests and devices that the tests show.
enum Samples {
  static let lights = String(repeating: "1", count: 32)
  static let kitchen = String(repeating: "2", count: 32)
  static let camera = String(repeating: "3", count: 32)

  /// The agent's clock shows 100 s when the picker's shows 1000 s.
  static func time(_ seconds: Double) -> Instant { Instant(microseconds: Int64(seconds * 1_000_000)) }
  static func agentTime(_ seconds: Int64) -> Seconds { Seconds(microseconds: seconds * 1_000_000) }

  static let bulb = RequestItemLine(item: "bulb", name: "Lumo bulb", asksForName: true, isImmediate: true)
  static let strip = RequestItemLine(item: "strip", name: "Lumo strip")

  static func setup(
    _ request: String = lights, app: String = "lights", items: [RequestItemLine] = [bulb, strip],
    phase: RequestLine.Phase = .choosing, since: Int64 = 90, end: Int64? = 700
  ) -> RequestLine {
    RequestLine(
      request: request, kind: .setup, app: app, since: agentTime(since), end: end.map(agentTime),
      phase: phase,
      items: items, remaining: 1)
  }

  /// A chosen lock that is being paired, with 48 s left at 1003 s.
  static func pairing(_ question: PairingQuestionLine?) -> RequestLine {
    var request = setup(phase: .pairing, end: 151)
    request.displayName = "Lumo lock"
    request.question = question
    return request
  }

  static let rename = RequestLine(
    request: kitchen, kind: .rename, app: "kitchen", since: agentTime(95), end: agentTime(160),
    phase: .answering, accessory: lights, displayName: "Küche 厨房", renamesSSID: true)

  static let migrate = RequestLine(
    request: camera, kind: .migrate, app: "camera", since: agentTime(96), end: agentTime(700),
    phase: .answering,
    adds: [
      "Porch camera at C4:A1:00:00:1E:27, which the app had before",
      "Hall camera at 00:11:22:33:44:66, which BlueZ knows",
    ])

  static let authorize = RequestLine(
    request: camera, kind: .authorize, app: "camera", since: agentTime(96), end: agentTime(160),
    phase: .answering, accessory: lights, displayName: "Hall",
    adds: ["the network CAM-1234", "a bootloader: company 0x0eee, data a55a"])

  static func candidate(
    _ number: UInt32, level: Int8?, item: Int = 0, name: String = "Lumo bulb", calls: String? = "Lumo E27",
    address: UInt64? = nil, durable: Bool = true, shared: Bool = false, silence: Int64 = 0
  ) -> CandidateLine {
    CandidateLine(
      candidate: number, itemIndex: item, name: name, deviceName: calls.map { AirText(Array($0.utf8)) },
      address: DeviceAddress(bits: address ?? 0xC4A1_0000_1E00 + UInt64(number), type: .random), rssi: level,
      filteredRSSI: level, silence: Seconds(microseconds: silence * 1_000_000), isIdentityDurable: durable,
      isShared: shared)
  }

  /// Candidates of two items, among them twins and devices with names of their own.
  static let candidates = [
    candidate(1, level: -41, address: 0xC4A1_0000_1E27),
    candidate(2, level: -49, address: 0xC4A1_0001_1E27),
    candidate(3, level: -56, name: "Desk lamp", calls: "Küchenlicht", shared: true),
    candidate(4, level: -60, calls: "灯泡 \u{1B}[31m", durable: false),
    candidate(5, level: -70, item: 1, name: "Lumo strip", calls: nil),
    candidate(6, level: nil, item: 1, name: "Lumo strip", calls: "strip two", silence: 30),
  ]

  /// Networks with names that could deceive, of an item that is found by them. Each is 25 s older than the one before.
  static func networks(item: Int) -> [CandidateLine] {
    let names: [([UInt8], Int8?, WirelessSecurity)] = [
      (Array("Cam-0001".utf8), -42, .wpa2), (Array("Cam-\u{202E}10".utf8), -57, .enterprise),
      ([0x43, 0x61, 0x6D, 0x2D, 0xFF, 0x00], -64, .open), (Array("Cam-Küche".utf8), nil, .owe),
    ]
    return names.enumerated().map { index, network in
      CandidateLine(
        candidate: UInt32(index) + 20, itemIndex: item, name: "Camera",
        ssid: AirText(network.0), security: network.2, rssi: network.1,
        silence: Seconds(microseconds: Int64(index) * 25_000_000), isIdentityDurable: true,
        isShared: index == 1)
    }
  }

  static func cameras(besideDevices: Bool) -> RequestLine {
    var camera = RequestItemLine(item: "camera", name: "Camera")
    camera.isFoundByNetwork = true
    let items = besideDevices ? [RequestItemLine(item: "bulb", name: "Lumo bulb"), camera] : [camera]
    return RequestLine(
      request: lights, kind: .setup, app: "cameras", since: agentTime(90), end: agentTime(700),
      phase: .choosing, items: items)
  }

  static func status(
    _ radio: RadioLine.State = .on, scan: String? = nil, registryTrouble: String? = nil
  ) -> StatusLine {
    let problems =
      registryTrouble.map { #"[{"kind":"registryDegraded","sentence":"\#($0)"}]"# } ?? "[]"
    let text = """
      {"version":"0.1.0","epoch":"\(lights)","time":100,"radio":{"source":"hci0","state":"\(radio.rawValue)",
      "detail":"hci0 is not there; plug it in","scan":\(scan.map { "\"\($0)\"" } ?? "null"),"address":null,"hasExtendedAdvertising":null,"hasCodedPHY":null,
      "initializations":1,"failures":0,"dropped":0},"problems":\(problems),"warnings":[],"openRequests":[],"apps":1,"items":1,"devices":1,"devicesMax":1,"found":1,"reports":1,
      "events":1,"connections":1,"connectionsMax":1,"watchers":1,"accessoriesConnected":0,"requests":0,"reloads":0,"reloadsRefused":0}
      """
    guard case .object(let object)? = try? JSONReader.read(Array(text.utf8).span),
      let status = try? StatusLine(object)
    else { preconditionFailure("the sample is no status") }
    return status
  }

  static let wide = ScreenSize(columns: 80, rows: 24)
  static let narrow = ScreenSize(columns: 40, rows: 10)

  /// A picker that has received these, at 1000 s of its clock.
  static func model(
    _ requests: [RequestLine], _ candidates: [CandidateLine] = [], size: ScreenSize = wide,
    glyphs: Glyphs = .unicode, name: String? = nil
  ) -> PickerModel {
    var model = PickerModel(size: size, glyphs: glyphs, name: name)
    let now = time(1000)
    model.receive(status(), at: now)
    for request in requests { model.receive(.request(request), at: now) }
    for candidate in candidates { model.receive(.candidate(candidate, of: lights), at: now) }
    model.receive(.synced, at: now)
    return model
  }
}
