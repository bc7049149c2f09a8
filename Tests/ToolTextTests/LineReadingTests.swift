// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
import HCI
import Interfaces
import JSON
import Manifest
import ManifestFormat
import Suggestions
import Testing
import TestSupport
@testable import ToolText

/// Lines of the demonstration's scene: of everything every minute, of what comes and goes every second.
private struct SceneLines {
  private(set) var devices: [DeviceLine] = []
  /// What the tables' items say about a device, and what it is made of on the wire.
  private(set) var explanations: [(own: [ItemExplanation], states: [ItemStateLine], device: DeviceLine)] = []
  private(set) var items: [ManifestItem] = []
  private(set) var events: [EventLine] = []

  static let all = Result { try SceneLines() }

  private init() throws {
    let text = try TestData.repositoryBytes("Config/accessoryd.toml")
    let reading = ManifestReader.read(text: text, fileName: "accessoryd.toml")
    var replay = CaptureReplay(ManifestDataPath(try #require(reading.value)))
    let capture = try TestData.repositoryBytes("Config/demo-scene.btsnoop")
    var reader = try BtsnoopReader(capture.span.rawBytes)
    var second: Int64 = 0
    while let record = try reader.next() {
      replay.replay(record, into: &events)
      guard replay.duration.microseconds >= second * 1_000_000 else { continue }
      second += 1
      for view in replay.dataPath.devices where second % 60 == 1 || view.isMoving {
        devices.append(DeviceLine(view))
        guard view.payloads.count == 1 else { continue }
        let states = replay.dataPath.items.indices.map { ItemStateLine(replay.dataPath, view, item: $0) }
        explanations.append((replay.dataPath.explanations(of: view), states, DeviceLine(view)))
      }
    }
    items = replay.dataPath.items
  }
}

extension DeviceView {
  fileprivate var isMoving: Bool {
    matches.contains { $0.match.presence == .approaching || $0.match.presence == .leaving }
  }
}

@Suite("A line read back from its object")
struct LineReadingTests {
  private func object(_ json: [UInt8]) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(json.span) else { throw CancellationError() }
    return object
  }

  private func expectSame<Value: ReadableLine & Equatable>(_ lines: [Value]) throws {
    #expect(!lines.isEmpty)
    for line in lines {
      let read = try Value(try object(line.json))
      #expect(read == line)
      #expect(read.json == line.json)
    }
  }

  @Test("Is the line that was written, for every device, item and event of the demonstration")
  func roundTrip() throws {
    let lines = try SceneLines.all.get()
    try expectSame(lines.devices)
    try expectSame(lines.events)
    try expectSame(lines.explanations.flatMap(\.states))
    let presences = lines.explanations.flatMap(\.own).map(\.presence)
    #expect(Set(presences).count == 5, "every presence, and none, are met")
  }

  @Test("Explains a device as its tables do, with every item that comes back from its lines")
  func explanations() throws {
    let lines = try SceneLines.all.get()
    let items = try lines.items.map { entry in
      var item = DisplayItem(id: entry.item.id, name: entry.item.name)
      item.descriptor = try #require(DiscoveryDescriptor(lines: entry.item.descriptor.lines))
      item.alternate = try entry.item.alternate.map { try #require(DiscoveryDescriptor(lines: $0.lines)) }
      return ManifestItem(app: entry.app, item: item)
    }
    #expect(lines.explanations.contains { $0.own.contains(where: \.isAlternate) })
    for (own, states, device) in lines.explanations {
      let read = try states.map { try ItemStateLine(reading: JSONObjectReader(object($0.json))) }
      let observed = ObservedDevice(
        try DeviceLine(reading: JSONObjectReader(object(device.json))), read, frames: [])
      #expect(items.flatMap(observed.explanations) == own)
    }
  }

  @Test("Prints the same text")
  func texts() throws {
    let lines = try SceneLines.all.get()
    for line in lines.devices { #expect(try DeviceLine(try object(line.json)).text() == line.text()) }
    for line in lines.events { #expect(try EventLine(try object(line.json)).text() == line.text()) }
  }

  @Test("Text of the air comes back with the bytes that no text can have")
  func airText() throws {
    let name = DeviceLine(
      address: DeviceAddress(bits: 0xC000_0000_0001, type: .random), name: AirText([0x4C, 0xFF, 0x1B]),
      rssi: nil, filteredRSSI: nil, reports: 1, firstSeen: Seconds(microseconds: -1),
      lastSeen: Seconds(microseconds: (1 << 51) - 1), silence: Seconds(microseconds: 1),
      intervalMilliseconds: nil, items: [], data: [])
    try expectSame([name])
  }

  @Test(
    "A list says how often a device sends when that is seldom, or in bursts",
    arguments: [
      (600, 2048, nil), (12_000, nil, "every 12 s"), (600, 60_416, "in bursts, every 60 s"),
      (nil, 600_064, "every 10 min"), (nil, 599_800, "every 10 min"), (560_128, 560_128, "every 560 s"),
      (nil, 559_900, "every 560 s"), (110, 6840, "in bursts, every 6.8 s"),
      (5, 5500, "in bursts, every 5.5 s"),
    ] as [(UInt32?, UInt32?, String?)])
  func pace(interval: UInt32?, rhythm: UInt32?, words: String?) {
    let device = DeviceLine(
      address: DeviceAddress(bits: 1, type: .random), name: nil, rssi: nil, filteredRSSI: nil, reports: 1,
      firstSeen: Seconds(microseconds: 0), lastSeen: Seconds(microseconds: 0),
      silence: Seconds(microseconds: 0),
      intervalMilliseconds: interval, rhythmMilliseconds: rhythm, items: [], data: [])
    #expect(device.text().contains(words.map { "(\($0))" } ?? "s\n"))
    #expect(device.text().contains("(") == (words != nil))
  }

  @Test("Names the member that is missing, of another type, or unknown")
  func problems() throws {
    let lines = try SceneLines.all.get()
    let event = try object(try #require(lines.events.first).json)
    expect(event.without("time"), JSONMemberError(path: "time", kind: .missing))
    expect(event.with("time", .string("1")), JSONMemberError(path: "time", kind: .wrongType))
    expect(event.with("event", .string("fund")), JSONMemberError(path: "event", kind: .unknownValue))
    expect(event.with("samples", .integer(65_536)), JSONMemberError(path: "samples", kind: .unknownValue))
    expect(event.with("address", .string("C4:64")), JSONMemberError(path: "address", kind: .unknownValue))
    expect(event.with("address", .null), JSONMemberError(path: "address", kind: .wrongType))
    expect(event.with("data", .string("0")), JSONMemberError(path: "data", kind: .unknownValue))
  }

  private func expect(_ object: JSONObject, _ problem: JSONMemberError) {
    #expect(throws: problem) { try EventLine(object) }
  }

  @Test("Whatever stands in a member, reading ends, and what was read can be shown")
  func everyMemberReplaced() throws {
    let lines = try SceneLines.all.get()
    try replaceEverything(in: try #require(lines.devices.first { !$0.items.isEmpty }))
    try replaceEverything(in: try #require(lines.events.first))
  }

  private func replaceEverything<Value: ReadableLine & Shown>(in line: Value) throws {
    let values: [JSONValue] = [
      .null, .bool(true), .integer(-1), .integer((1 << 53) - 1), .double(-.greatestFiniteMagnitude),
      .string(""), .string("\u{1B}ff"), .array([]), .array([.null]), .object(JSONObject()),
    ]
    let element = JSONValue.object(try object(line.json))
    for place in 0..<element.count {
      for value in values {
        var left = place
        guard case .object(let replaced) = element.replacing(&left, with: value) else { continue }
        do throws(JSONMemberError) {
          let read = try Value(replaced)
          #expect(!read.text().utf8.contains(0x1B))
          _ = read.json
        } catch {
          #expect(!error.path.isEmpty)
        }
      }
    }
  }
}

/// A line that is also printed as text.
private protocol Shown { func text() -> String }
extension EventLine: Shown {
  fileprivate func text() -> String {
    var table = EventTable()
    return table.text(self)
  }
}
extension DeviceLine: Shown { fileprivate func text() -> String { text(.plain) } }
