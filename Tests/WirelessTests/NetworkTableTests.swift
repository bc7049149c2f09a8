// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import Wireless

@Suite("Networks in reach")
struct NetworkTableTests {
  @Test("The same name from two radios is two networks, and the stronger one comes first")
  func sameName() {
    var table = NetworkTable()
    table.insert(.named("Home", bssid: 1, signal: -70))
    table.insert(.named("Home", bssid: 2, signal: -40))
    table.insert(.named("Cam", bssid: 3, signal: -50))
    #expect(table.networks(named: .text("Home")).map(\.bssid.bits) == [2, 1])
    #expect(table.all.map(\.bssid.bits) == [2, 3, 1])
    #expect(table.strongestByName.map(\.bssid.bits) == [2, 3])
  }

  @Test("One radio with two names is two networks")
  func sameRadio() {
    var table = NetworkTable()
    table.insert(.named("Cam-1", bssid: 1, signal: -50))
    table.insert(.named("Cam-12", bssid: 1, signal: -50))
    #expect(table.count == 2)
    #expect(table.networks(named: .text("Cam-12")).count == 1)
    #expect(table.networks(named: .text("Cam-1")).count == 1)
  }

  @Test("Hidden networks are dropped and counted")
  func hidden() {
    var table = NetworkTable()
    table.insert(.named("", bssid: 1, signal: -30))
    table.insert(.named("\0\0\0", bssid: 1, signal: -30))
    #expect(table.count == 0)
    #expect(table.counters.hidden == 2)
    #expect(table.revision == 0)
  }

  @Test("A newer sight replaces what is known, an older one does not")
  func ages() {
    var table = NetworkTable()
    table.insert(.named("Cam", bssid: 1, signal: -50, lastSeen: 10_000))
    table.insert(.named("Cam", bssid: 1, signal: -90, lastSeen: 9_000))
    #expect(table.all.map(\.signal) == [-50])
    table.insert(.named("Cam", bssid: 1, signal: -60, lastSeen: 11_000))
    #expect(table.all.map(\.signal) == [-60])
    let revision = table.revision
    table.insert(.named("Cam", bssid: 1, signal: -60, lastSeen: 11_000))
    #expect(table.revision == revision)
  }

  @Test("When the table is full, the weakest network gives way, and a weaker one finds no place")
  func full() {
    var table = NetworkTable()
    for bssid in 1...UInt64(NetworkTable.capacity) {
      table.insert(.named("N\(bssid)", bssid: bssid, signal: bssid == 500 ? nil : -60))
    }
    #expect(table.count == NetworkTable.capacity)
    table.insert(.named("Strong", bssid: 0xFFFF, signal: -59))
    #expect(table.count == NetworkTable.capacity)
    #expect(table.counters.evicted == 1)
    #expect(table.networks(named: .text("N500")).isEmpty)
    table.insert(.named("Weak", bssid: 0xFFFF, signal: -61))
    #expect(table.counters.turnedAway == 1)
    #expect(table.networks(named: .text("Weak")).isEmpty)
    #expect(table.networks(named: .text("Strong")).count == 1)
  }

  @Test("A full table keeps the networks of accessories, then those that items look for, however weak")
  func interest() {
    var table = NetworkTable()
    table.setInterest { $0.bytes == Array("Own".utf8) ? .accessory : .none }
    table.insert(.named("Own", bssid: 1, signal: -90))
    table.insert(.named("Camera", bssid: 2, signal: -89))
    table.setInterest { $0.bytes == Array("Own".utf8) ? .accessory : $0.bytes.first == 0x43 ? .item : .none }
    for bssid in 3...UInt64(NetworkTable.capacity) + 2 {
      table.insert(.named("N\(bssid)", bssid: bssid, signal: -40))
    }
    #expect(table.counters.turnedAway == 2 && table.networks(named: .text("Camera")).count == 1)
    for bssid in 1...UInt64(NetworkTable.capacity) {
      table.insert(.named("C\(bssid)", bssid: 0xFFFF + bssid, signal: -50))
    }
    #expect(table.networks(named: .text("Own")).count == 1 && table.networks(named: .text("Camera")).isEmpty)
    #expect(
      !table.all.contains { $0.name.bytes.starts(with: "N".utf8) } && table.count == NetworkTable.capacity)
  }

  @Test("A network is lost after two scans in a minute without it, and without scans it never is")
  func lost() {
    var table = NetworkTable()
    table.insert(.named("Cam", bssid: 1, signal: -50, lastSeen: 1_000))
    func lostNames() -> Int {
      var copy = table
      return copy.removeLost().count
    }
    #expect(lostNames() == 0)
    // One scan, however late, is not enough.
    table.append(.from(70_000, to: 74_000))
    #expect(lostNames() == 0)
    table.append(.from(80_000, to: 84_000))
    #expect(lostNames() == 1)
    // A network that is seen again stays.
    table.insert(.named("Cam", bssid: 1, signal: -50, lastSeen: 83_000))
    #expect(lostNames() == 0)
    table.append(.from(90_000, to: 94_000))
    #expect(lostNames() == 0)
    table.append(.from(105_000, to: 109_000))
    #expect(lostNames() == 0)
    table.append(.from(120_000, to: 124_000))
    #expect(lostNames() == 0)
    table.append(.from(139_000, to: 143_000))
    #expect(lostNames() == 1)
    #expect(table.removeLost().map(\.name) == [.text("Cam")])
    #expect(table.count == 0)
  }

  @Test("A scan that was under way when the network was seen does not count")
  func underWay() {
    var table = NetworkTable()
    table.insert(.named("Cam", bssid: 1, signal: -50, lastSeen: 1_000))
    table.append(.from(1_000, to: 62_000))
    table.append(.from(63_000, to: 64_000))
    #expect(table.removeLost().isEmpty)
    table.append(.from(65_000, to: 66_000))
    #expect(table.removeLost().count == 1)
  }

  @Test("For another interface everything is forgotten but the counters")
  func forgotten() {
    var table = NetworkTable()
    table.insert(.named("", bssid: 1, signal: -50))
    table.insert(.named("Cam", bssid: 1, signal: -50))
    table.append(.from(1, to: 2))
    table.removeAll()
    #expect(table.count == 0 && table.scans.isEmpty)
    #expect(table.counters.hidden == 1)
  }

  @Test("An address is written as its bytes are sent")
  func addresses() {
    let bytes: [UInt8] = [0x02, 0x42, 0x00, 0x0F, 0xA0, 0xFF]
    let bssid = BSSID(bytes.span.rawBytes)
    #expect(bssid?.description == "02:42:00:0f:a0:ff")
    #expect(bssid == BSSID(bits: 0x0242_000F_A0FF))
    let fewer = Array(bytes.prefix(5))
    let short = BSSID(fewer.span.rawBytes)
    #expect(short == nil)
  }

  @Test("Scans are as frequent as what needs them allows, and rare while the interface is associated")
  func intervals() {
    for demand in NetworkDemand.allCases {
      let expected: [Int64?] =
        switch demand {
        case .none, .known: [nil, nil]
        case .automatic: [60_000, 60_000]
        case .picker: [15_000, 60_000]
        }
      #expect([false, true].map { demand.scanInterval(isAssociated: $0) } == expected)
    }
  }
}

extension NetworkName {
  static func text(_ text: String) -> NetworkName {
    guard let name = NetworkName(Array(text.utf8)) else { fatalError("a name of more than 32 bytes") }
    return name
  }
}

extension WirelessNetwork {
  /// A network as tests need it; `lastSeen` in milliseconds.
  static func named(_ name: String, bssid: UInt64, signal: Int8?, lastSeen: Int64 = 0) -> WirelessNetwork {
    WirelessNetwork(
      bssid: BSSID(bits: bssid), name: .text(name), frequencyMegahertz: 2437, signal: signal, security: .wpa2,
      lastSeen: Instant(microseconds: lastSeen * 1000))
  }
}

extension CompletedScan {
  /// A scan between two times in milliseconds.
  static func from(_ start: Int64, to end: Int64) -> CompletedScan {
    CompletedScan(
      startedAt: Instant(microseconds: start * 1000), completedAt: Instant(microseconds: end * 1000))
  }
}
