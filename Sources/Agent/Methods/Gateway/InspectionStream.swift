// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Interfaces
import Manifest
import Varlink

/// `Items`: what the manifest and apps look for, one item a reply. After a reload it goes on with the new items.
struct ItemStream: ReplyStream {
  private var index = 0

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard index < agent.dataPath.items.count else { return .end(Message.reply()) }
    defer { index += 1 }
    let entry = agent.dataPath.items[index]
    let turnedAway = agent.dataPath.turnedAwayLines.first { $0.app == entry.app && $0.item == entry.item.id }
    var line = ItemLine(
      app: entry.app, item: entry.item.id, descriptor: entry.item.descriptor.lines,
      alternate: entry.item.alternate?.lines, found: agent.dataPath.foundCount(ofItem: index),
      turnedAway: turnedAway?.devices ?? 0,
      lastMatched: agent.history.lastMatched[index].map { Seconds(microseconds: $0.microseconds) })
    (line.enterRSSI, line.leaveRSSI) = agent.dataPath.gateLevels(ofItem: index)
    return .reply(Message.element("item", line))
  }
}

/// `Inspect`: the devices of an address, or all, row by row, each before the states of its items.
struct InspectionStream: DeviceStream {
  /// nil for all.
  private var device: UInt64?
  private(set) var item: Int?
  private var row = 0
  /// The item whose state comes next; nil while the device itself does.
  private var next: Int?
  private var losses: [Int32: Int] = [:]

  init(_ parameters: Parameters, _ dataPath: borrowing ManifestDataPath) throws(GatewayError) {
    if parameters["device"] != nil {
      let (bits, text) = try parameters.device()
      device = bits
      guard dataPath.hasDevice(bits) else { throw .deviceNotInSight(text) }
    }
    guard parameters["item"] != nil else { return }
    guard let wanted = try? parameters.string("item") else { throw .invalidParameter("item") }
    do throws(ItemNameError) {
      item = try dataPath.items.index(named: wanted)
    } catch {
      switch error {
      case .unknown(let known): throw .itemNotFound(wanted, candidates: known)
      case .ambiguous(let candidates): throw .itemAmbiguous(wanted, candidates: candidates)
      }
    }
  }

  mutating func nextReply(_ dataPath: borrowing ManifestDataPath) -> StreamStep {
    while row < dataPath.pipeline.rowCount {
      guard dataPath.has(device, at: row), let view = dataPath.device(atRow: row)
      else {
        (row, next) = (row + 1, nil)
        continue
      }
      guard let index = next else {
        next = item ?? 0
        losses = dataPath.lossesToOtherFrames(of: view.address)
        let address = view.device.address
        let reversed = dataPath.reversedIdentity(of: address).map { AddressText.text(of: $0.bits) }
        let reply = InspectReply(
          device: DeviceLine(view), addressInUse: address == view.address ? nil : address.text,
          reversedIdentityKey: reversed)
        return .reply(Message.line(reply))
      }
      // A reload may have taken items away.
      guard index < dataPath.items.count else {
        (row, next) = (row + 1, nil)
        continue
      }
      next = item == nil ? index + 1 : .max
      let state = ItemStateLine(
        dataPath, view, item: index, lossesToOtherFrames: losses[Int32(index)] ?? 0)
      return .reply(Message.line(InspectReply(itemState: state)))
    }
    return .end(Message.reply())
  }
}

extension Parameters {
  /// The address in `device`, as operators write it.
  func device() throws(GatewayError) -> (bits: UInt64, text: String) {
    guard let text = try? string("device"), let bits = AddressText.bits(text) else {
      throw .invalidParameter("device")
    }
    return (bits, text.uppercased())
  }
}

extension ManifestDataPath {
  fileprivate func hasDevice(_ bits: UInt64) -> Bool { liveRows.contains { has(bits, at: $0) } }

  /// Whether the row holds a device of the address, private or identity; nil is any address.
  fileprivate func has(_ bits: UInt64?, at row: Int) -> Bool {
    guard let bits else { return true }
    guard let device = pipeline.device(at: row) else { return false }
    return device.address.bits == bits || pipeline.address(at: row).bits == bits
  }

  /// The addresses that the devices of an address use now, and that address itself.
  func currentAddresses(of bits: UInt64) -> Set<UInt64> {
    var addresses: Set = [bits]
    for row in liveRows where has(bits, at: row) {
      if let device = pipeline.device(at: row) { addresses.insert(device.address.bits) }
    }
    return addresses
  }
}
