// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import Explanation
import HCI
import Interfaces
import JSON
import LinuxSystem
import Suggestions

/// What the agent receives while the radio listens all the time, and what other devices sent last.
struct Listening {
  let seconds: Int

  /// Items for the device; `update` is called while it listens, as by `GatewayConnection.nextReply`.
  func suggestions(
    for device: DeviceArgument, _ gateway: GatewayOptions,
    update: (MonotonicInstant, MonotonicInstant) -> MonotonicInstant? = { _, _ in nil }
  ) throws(ToolError) -> [Suggestion] {
    let sources = try sources(of: device, gateway, update: update)
    guard !sources.device.isEmpty else {
      throw .sentence("\(device.text) is not in sight; accessoryctl sightings --all lists what is", .no)
    }
    return try Self.suggestions(sources, for: device)
  }

  /// Throws when nothing distinguishes the device.
  static func suggestions(_ sources: SuggestionSources, for device: DeviceArgument) throws(ToolError)
    -> [Suggestion]
  {
    let suggestions = Suggestion.all(sources)
    guard !suggestions.isEmpty else {
      throw .sentence(
        "\(device.text) sends no company, no service and no name that stays the same; "
          + DeviceArgument.cureByAddress(device.text), .no)
    }
    return suggestions
  }

  /// What was received from the device, or from all alike.
  func heard(
    of device: DeviceArgument? = nil, _ gateway: GatewayOptions,
    update: (MonotonicInstant, MonotonicInstant) -> MonotonicInstant? = { _, _ in nil }
  ) throws(ToolError) -> SuggestionSources {
    let (bytes, addresses) = try packets(of: device, gateway, update: update)
    var sources = SuggestionSources(ofDevice: addresses)
    try CaptureFile(holding: bytes).decode { sources.addReport($0) }
    return sources
  }

  private func sources(
    of device: DeviceArgument, _ gateway: GatewayOptions,
    update: (MonotonicInstant, MonotonicInstant) -> MonotonicInstant?
  ) throws(ToolError) -> SuggestionSources {
    var sources = try heard(of: device, gateway, update: update)
    for line in try gateway.devicesInSight() { sources.addLast(line) }
    return sources
  }

  /// The packets as a capture, and the addresses that the device uses.
  private func packets(
    of device: DeviceArgument?, _ gateway: GatewayOptions,
    update: (MonotonicInstant, MonotonicInstant) -> MonotonicInstant?
  ) throws(ToolError) -> (bytes: [UInt8], addresses: Set<UInt64>) {
    let patience = GatewayConnection.patienceSeconds + seconds
    return try gateway.connect { connection throws(AgentCallError) in
      var bytes: [UInt8] = []
      bytes.append(Btsnoop.header(.h4))
      var addresses: Set = device.map { [$0.bits] } ?? []
      try connection.startCall(
        GatewayMethodName.capture, GatewayCall(device: device?.text, seconds: seconds).write)
      _ = try connection.allReplies(within: patience, update: update) {
        line throws(JSONMemberError) -> Never? in
        let part = try CaptureReply(reading: line)
        addresses.formUnion((part.addresses ?? []).compactMap(AddressText.bits))
        for packet in part.packets ?? [] where packet.direction == .received {
          guard let kind = packet.packet.first.flatMap(PacketKind.init) else { continue }
          bytes.append(
            Btsnoop.recordHeader(
              byteCount: packet.packet.count, flags: Btsnoop.flags(.h4, kind: kind, isReceived: true),
              time: Instant(microseconds: packet.time.microseconds)))
          bytes += packet.packet
        }
        return nil
      }
      return (bytes, addresses)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append<let count: Int>(_ header: InlineArray<count, UInt8>) {
    for index in header.indices { append(header[index]) }
  }
}
