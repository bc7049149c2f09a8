// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Manifest
import Setup
import TestSupport
import VirtualRadio
import Wireless

// Packets of the radio, and readings of the manifest.

extension Simulation {
  func receivePacket(_ packet: [UInt8]) {
    referenceModel.receivePacket(packet, at: now)
    air.receivePacket(packet, at: now)
    let received = tampered(packet)
    guard !received.isEmpty || packet.isEmpty else { return }
    agent.receive(packet: received.rawSpan, at: instant)
  }

  /// The packet that the agent receives in place of this one; empty when it receives none.
  private func tampered(_ packet: [UInt8]) -> [UInt8] {
    // Only LE Meta events with one legacy report: their last byte is its level.
    let isReport = packet.count > 4 && packet[1] == 0x3E && packet[3] == 0x02 && packet[4] == 1
    guard let tampering, isReport else { return packet }
    tamperings += 1
    switch tampering {
    case .raisesLevels:
      let level = Int8(bitPattern: packet[packet.count - 1])
      return level > -127 && level < -30 ? packet.dropLast() + [UInt8(bitPattern: level + 40)] : packet
    case .dropsPackets: return tamperings.isMultiple(of: 10) ? [] : packet
    case .dropsAnEvent, .doublesAnEvent, .sendsToUnauthorizedClient, .losesAReply, .dropsANetworkEvent,
      .forgetsScans, .damagesRecords, .dropsRecords:
      return packet
    }
  }

  /// Reports to the agent that the radio appeared or vanished.
  func reportPlugging() throws(Breach) {
    switch radio.plugging(at: now) {
    case .appeared?:
      note("the radio appears")
      agent.radioAppeared(.controller, at: instant)
    case .vanished?:
      note("the radio vanishes")
      agent.radioVanished("it was pulled out", at: instant)
    case nil: return
    }
    try settle()
  }

  /// Delivers the readings of the manifest that are due: unchanged, changed, or refused.
  func deliverReadings() {
    while let due = readings.firstIndex(where: { $0 <= now }) {
      readings.remove(at: due)
      guard !dice.chance(perMille: 250) else {
        note("the manifest is broken")
        let findings = ["accessoryd.toml:3: gateway.scan: no such word"]
        agent.manifestWasRead(.refused(findings: findings), at: instant)
        continue
      }
      manifest = RandomManifest.changed(manifest, dice: &dice)
      networks.changeItems(of: &manifest)
      configuration.manifest = manifest
      note("the manifest has \(manifest.items.count) items")
      agent.manifestWasRead(
        .accepted(configuration, radioSource: "h4:controller", warnings: []), at: instant)
      referenceModel.reload(manifest, at: now)
      networkModel.reload(manifest, at: now)
    }
  }

  /// Ends the scans that are due, and pulls the interface out.
  func scanNetworks() {
    if networks.nextScan <= now {
      let heard = networks.scan(at: now)
      note("a scan finds \(heard.map(\.name))")
      agent.updateNetworks(at: instant) { heard.enter(into: &$0, at: now) }
      let missesThem = tampering == .forgetsScans && now.isMultiple(of: 2)
      networkModel.scan(missesThem ? [] : heard, at: now)
    }
    if networks.nextLoss <= now {
      note("the interface for networks is pulled out")
      networks.loseInterface(at: now)
      agent.updateNetworks(at: instant) { $0.removeAll() }
      networkModel.loseInterface(at: now)
    }
  }
}
