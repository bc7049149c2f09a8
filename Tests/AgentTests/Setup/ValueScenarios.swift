// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import Testing
import VirtualRadio

@Suite("Values that accessories send in open formats")
struct ValueScenarios {
  /// A bulb that says in BTHome 2 how warm and humid it is.
  private var thermometer: SceneDevice {
    SceneDevice(
      .staticRandom(1),
      payloads: PayloadScript(
        AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1, 1]).serviceData(
          BluetoothUUID(short: 0xFCD2), [0x40, 0x02, 0xCA, 0x09, 0x03, 0xBF, 0x13])),
      intervalMilliseconds: 100, signal: SignalModel(.steady(-60)))
  }

  private func words(in object: JSONObject?) -> [String]? {
    guard case .array(let values)? = object?["values"] else { return nil }
    return values.map { value in
      guard case .object(let value) = value else { return "?" }
      let number: Double? = if case .double(let number)? = value["number"] { number } else { nil }
      return "\(value.text("name") ?? "-") \(number ?? 0) \(value.text("unit") ?? "-")"
    }
  }

  private let expected = ["temperature 25.06 °C", "humidity 50.55 %"]

  @Test("Apps and operators get them decoded, wherever the data are")
  func values() {
    let (scenario, app, anna) = SetupScenario.owning(.lights, scene: [thermometer])
    scenario.run(seconds: 1)
    let listed = anna.call("List").replies.compactMap { $0.object("accessory") }.first
    #expect(words(in: listed) == expected)
    #expect(listed?["silence"] != nil && listed?["intervalMilliseconds"] != nil)
    let heard = app.call("WatchAdvertisements").replies.compactMap { $0.object("advertisement") }.first
    #expect(words(in: heard?.object("fields")) == expected)
    scenario.collect()
  }

  @Test("They stand in sightings, and in the events of a watch")
  func sightings() throws {
    let harness = AgentHarness(.lights, scene: [thermometer])
    let watcher = try #require(harness.connect())
    harness.call("Watch", by: watcher, more: true)
    harness.run(milliseconds: 3000)
    #expect(words(in: watcher.events.first) == expected)
    let client = try #require(harness.connect())
    let seen = harness.call("Sightings", by: client, more: true).compactMap { $0.object("device") }
    #expect(words(in: seen.first) == expected)
  }
}
