// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import JSON
import Manifest
import TestSupport
import Testing
import VarlinkClient
import VirtualRadio

/// What an app receives that reads every report of its accessory, compared with the raw reports of the same time.
@Suite("Readings of accessories")
struct ReadingScenarios {
  private let harness = AgentHarness(.lights, scene: [.bulb(1), .unknownDevice(2)], access: .twoApps)
  private let scenario: SetupScenario
  private let app: ScenarioApp

  init() {
    scenario = SetupScenario(harness)
    app = scenario.app()
    app.call("ShowPicker", wait: 1)
    scenario.watcher().choose(wait: 1)
  }

  /// A stream of advertisements, and one of raw reports that begins at the same time.
  private func watch(interval: String?) throws -> (ScenarioCall, ReportReaderModel) {
    let client = try #require(harness.connect())
    harness.call("WatchReports", by: client) {
      $0.member("forward", "accessories")
      $0.member("batchMilliseconds", 0)
    }
    let call = app.call("WatchAdvertisements", interval.map { #""interval":\#($0)"# } ?? "")
    return (call, try #require(harness.reportReaders.last))
  }

  /// The advertisements after those of the accessories that were in sight.
  private func advertisements(_ call: ScenarioCall) -> [JSONObject] {
    Array(call.replies.compactMap { $0.object("advertisement") }.dropFirst())
  }

  private func levels(_ advertisements: [JSONObject]) -> [Int64?] {
    advertisements.map { $0.integer("rssi") }
  }

  /// When they were heard, in seconds.
  private func seconds(of advertisements: [JSONObject]) -> [Double] {
    advertisements.compactMap { advertisement in
      switch advertisement["time"] {
      case .double(let seconds)?: seconds
      case .integer(let seconds)?: Double(seconds)
      default: nil
      }
    }
  }

  /// A report of the accessory.
  private func report(_ pdu: AdvertisingPDU, level: Int8, _ value: UInt8) -> AirReport {
    let payload = AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1, value])
    return AirReport(
      pdu, from: harness.address(of: .bulb(1), at: 0), rssi: level,
      pdu == .scanResponse ? AdvertisingPayload().name("Lumo") : payload)
  }

  private func packet(_ report: AirReport) -> [UInt8] { ReportEncoder.event(.legacy, report) }

  /// The agent reads these packets with one drain of the radio.
  private func drain(_ packets: [[UInt8]]) {
    for (index, packet) in packets.enumerated() {
      let time = Instant(microseconds: harness.now.microseconds + Int64(index))
      harness.agent.receive(packet: packet.span.rawBytes, at: time)
    }
    harness.run(milliseconds: 1)
    scenario.collect()
  }

  @Test("Without pauses each report is one reading, scan responses among them, in the order of time")
  func each() throws {
    let (call, reader) = try watch(interval: "0")
    scenario.run(seconds: 10)
    let heard: [Int64?] = reader.reports.map { report -> Int64? in Int64(report.record.rssi) }
    #expect(heard.count > 80)
    #expect(reader.reports.contains { $0.record.flags.contains(.scanResponse) })
    #expect(levels(advertisements(call)) == heard)
    let times = seconds(of: advertisements(call))
    #expect(times == times.sorted())
  }

  @Test(
    "Reports of one drain are a reading each, and a change is not told twice",
    arguments: [1, 3, 7])
  func oneDrain(drains: Int) throws {
    let (call, reader) = try watch(interval: "0")
    scenario.run(seconds: 1.5)
    let before = reader.reports.count
    #expect(advertisements(call).count == before)
    let packets: [[UInt8]] = (0..<21).map { (index: Int) -> [UInt8] in
      // The seventh is new.
      let pdu: AdvertisingPDU = index % 3 == 2 ? .scanResponse : .connectable
      return packet(report(pdu, level: Int8(index) - 80, index < 6 ? 1 : 2))
    }
    let each = packets.count / drains
    for number in 0..<drains { drain(Array(packets[number * each..<(number + 1) * each])) }
    let news = Array(advertisements(call).dropFirst(before))
    let expected: [Int64?] = (0..<21).map { (index: Int64) -> Int64? in index - 80 }
    #expect(levels(news) == expected)
    #expect(news.filter { $0.text("event") == "changed" }.count == 1)
    let data = news.map { (reading: JSONObject) -> String in reading.text("data") ?? "" }
    #expect(data.allSatisfy { $0.hasSuffix("05094c756d6f") })
    #expect(reader.reports.count == before + 21)
  }

  @Test("With an interval the next reading is a report that was heard after it")
  func paced() throws {
    let (call, reader) = try watch(interval: "1")
    scenario.run(seconds: 10)
    let times = seconds(of: advertisements(call))
    #expect((9...11).contains(times.count))
    #expect(reader.reports.count > 80)
    let pauses = zip(times, times.dropFirst()).map { (first: Double, second: Double) -> Double in
      second - first
    }
    let range: ClosedRange<Double> = 0.999...1.9
    #expect(pauses.allSatisfy { range.contains($0) })
    let count = times.count
    let packets: [[UInt8]] = (0..<5).map { (index: Int8) -> [UInt8] in
      packet(report(.connectable, level: index - 70, 1))
    }
    drain(packets)
    #expect(advertisements(call).count <= count + 1)
  }

  @Test("Without an interval nothing comes but news")
  func news() throws {
    let (call, _) = try watch(interval: nil)
    scenario.run(seconds: 3)
    #expect(advertisements(call).isEmpty)
    drain([packet(report(.connectable, level: -50, 9))])
    #expect(advertisements(call).map { $0.text("event") } == ["changed"])
  }

  @Test("What a stream lists is not read again, and readings end with the last stream")
  func beginAndEnd() throws {
    let (first, _) = try watch(interval: "0")
    scenario.run(seconds: 1)
    let (second, reader) = try watch(interval: "0")
    let before = advertisements(first).count
    scenario.run(seconds: 1)
    #expect(advertisements(second).count == reader.reports.count)
    #expect(advertisements(first).count - before == reader.reports.count)
    first.hangUp()
    scenario.run(seconds: 1)
    #expect(advertisements(second).count == reader.reports.count)
    second.hangUp()
    let (third, others) = try watch(interval: "0")
    scenario.run(seconds: 1)
    #expect(advertisements(third).count == others.reports.count)
    #expect(!others.reports.isEmpty)
  }

  @Test("Readings go on over a reload of the manifest")
  func reload() throws {
    let (call, reader) = try watch(interval: "0")
    scenario.run(seconds: 1)
    harness.reading = .accepted(
      AgentCore.Configuration(.lights, board: .attentive, access: .twoApps), radioSource: "h4:bench",
      warnings: [])
    harness.call("Reload", by: try #require(harness.connect()))
    scenario.run(seconds: 1)
    let readings = advertisements(call).filter { $0.text("event") == "reading" }
    #expect(readings.count == reader.reports.count)
    #expect(readings.count > 10)
  }
}
