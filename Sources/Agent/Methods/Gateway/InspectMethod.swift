// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Varlink
import Wireless

/// `Items`: what the manifest and apps look for.
enum ItemsMethod: GatewayMethod {
  static let name = GatewayMethodName.items

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome { .stream(ItemStream()) }
}

/// One item a reply. After a reload it goes on with the new items.
private struct ItemStream: ReplyStream {
  private var index = 0

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard index < agent.dataPath.items.count else { return .end(Message.reply()) }
    defer { index += 1 }
    let entry = agent.dataPath.items[index]
    return .reply(
      Message.element(
        "item",
        ItemLine(
          app: entry.app, item: entry.item.id, descriptor: entry.item.descriptor.lines,
          alternate: entry.item.alternate?.lines)))
  }
}

/// `Inspect`: the devices of an address, or all, and where items have them.
enum InspectMethod: GatewayMethod {
  static let name = GatewayMethodName.inspect

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let agent = call.agent
    var stream = InspectionStream()
    if call.parameters["device"] != nil {
      let device = try call.parameters.device()
      stream.device = device.bits
      guard agent.dataPath.liveRows.contains(where: { agent.dataPath.has(device.bits, at: $0) }) else {
        throw .deviceNotInSight(device.text)
      }
    }
    guard call.parameters["item"] != nil else { return .stream(stream) }
    guard let wanted = try? call.parameters.string("item") else { throw .invalidParameter("item") }
    do throws(ItemNameError) {
      stream.item = try agent.dataPath.items.index(named: wanted)
    } catch {
      switch error {
      case .unknown(let known): throw .itemNotFound(wanted, candidates: known)
      case .ambiguous(let candidates): throw .itemAmbiguous(wanted, candidates: candidates)
      }
    }
    if let reason = stream.item.flatMap({ agent.reasonNothingIsFoundNow(by: agent.dataPath.items[$0]) }) {
      return .reply(Message.reply { $0.member("reasonNothingIsFound", reason) })
    }
    return .stream(stream)
  }
}

/// The devices row by row, each before the states of its items.
private struct InspectionStream: ReplyStream {
  /// nil for all.
  var device: UInt64?
  var item: Int?
  private var row = 0
  /// The item whose state comes next; nil while the device itself does.
  private var next: Int?
  private var losses: [Int32: Int] = [:]

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    while row < agent.dataPath.pipeline.rowCount {
      guard device.map({ agent.dataPath.has($0, at: row) }) ?? true,
        let view = agent.dataPath.device(atRow: row)
      else {
        (row, next) = (row + 1, nil)
        continue
      }
      guard let index = next else {
        next = item ?? 0
        losses = agent.dataPath.lossesToOtherFrames(of: view.address)
        let address = view.device.address
        let reversed = agent.dataPath.reversedIdentity(of: address).map { AddressText.text(of: $0.bits) }
        let reply = InspectReply(
          device: DeviceLine(view), addressInUse: address == view.address ? nil : address.text,
          reversedIdentityKey: reversed)
        return .reply(Message.line(reply))
      }
      // A reload may have taken items away.
      guard index < agent.dataPath.items.count else {
        (row, next) = (row + 1, nil)
        continue
      }
      next = item == nil ? index + 1 : .max
      let state = ItemStateLine(
        agent.dataPath, view, item: index, lossesToOtherFrames: losses[Int32(index)] ?? 0)
      return .reply(Message.line(InspectReply(itemState: state)))
    }
    return .end(Message.reply())
  }
}

extension AgentCore {
  /// Why an item finds nothing at present; the sentence lacks its subject.
  fileprivate func reasonNothingIsFoundNow(by entry: ManifestItem) -> String? {
    if let reason = reasonNothingIsFound(by: entry) { return reason.sentence }
    guard entry.item.descriptor.isFoundByNetwork, networks.strongestByName.isEmpty else { return nil }
    return "finds nothing now: \(wirelessLine?.problem ?? Gateway.reasonNoNetworkIsKnown)"
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
  /// Whether the row holds a device of the address, private or identity.
  fileprivate func has(_ bits: UInt64, at row: Int) -> Bool {
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
