// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import CAllocations
import HCI
import Manifest
import Varlink
import VarlinkClient
import VirtualRadio

/// An agent with one item, devices that change, and clients that watch.
struct Delivery: ~Copyable {
  private static let deviceCount = 16

  private var agent: AgentCore
  private var watchers: [ClientID] = []
  private var time = Instant(microseconds: 0)
  private(set) var bytes = 0
  /// Allocations of the turns alone; reports from the radio allocate nothing.
  private(set) var allocations: UInt = 0

  init(watchers count: Int) {
    var manifest = GatewayManifest()
    manifest.gateway.limits.connectionsPerUser = 64
    var app = App(name: "lights", account: .user("lights"))
    var item = DisplayItem(id: "bulb", name: "Lumo bulb")
    item.descriptor.companyIdentifier = 0x0EEE
    app.items = [item]
    manifest.apps = [app]
    let setup = AgentCore.Setup(
      AgentCore.Configuration(manifest), radioSource: "benchmark", epoch: Block128(high: 1, low: 1),
      secret: Block128(high: 2, low: 2))
    agent = AgentCore(setup, at: time)
    agent.radioAppeared(.recording, at: time)
    for _ in 0..<count { connect() }
  }

  var events: UInt64 { agent.streamCounters.eventsDelivered }

  private mutating func connect() {
    guard case .admitted(let id) = agent.admit(Peer(process: 1, uid: 0, groups: []), at: time) else {
      preconditionFailure("a watcher was refused")
    }
    agent.receive(Message.call("io.accessoryd.Gateway.Watch", more: true).span, from: id)
    watchers.append(id)
  }

  /// Finds every device, so that only changes follow, and lets buffers grow.
  mutating func warmUp() {
    for round in 0..<4 { run(round) }
    bytes = 0
  }

  /// Every device sends a new payload, and every watcher receives the change.
  mutating func run(_ round: Int) {
    time = time.advanced(milliseconds: 1001)
    for device in 0..<Self.deviceCount {
      let payload = AdvertisingPayload().flags(0x06).manufacturerData(
        0x0EEE, [UInt8(truncatingIfNeeded: round), UInt8(truncatingIfNeeded: round >> 8), UInt8(device)])
      let address = DeviceAddress(bits: 0xC000_0000_0000 | UInt64(device), type: .random)
      let packet = ReportEncoder.event(.legacy, AirReport(.connectable, from: address, rssi: -60, payload))
      agent.receive(packet: packet.span.rawBytes, at: time)
    }
    let before = allocation_count()
    repeat {
      agent.turn(at: time)
      while agent.nextAction() != nil {}
      var taken = 0
      for watcher in watchers {
        agent.drain(watcher) {
          taken += $0.count; return $0.count
        }
      }
      bytes += taken
    } while agent.nextDeadline.map { $0 <= time } ?? false
    allocations += allocation_count() - before
  }
}
