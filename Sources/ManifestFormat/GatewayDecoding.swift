// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import Manifest

extension Gateway {
  init(_ table: TableReader<GatewayKey>) {
    self.init()
    if let selection = Self.radio(table) { radio = selection }
    table.read(.access, into: &access)
    table.read(.power, into: &power)
    table.read(.scan, into: &scan)
    table.read(.filter, into: &filter)
    wifi = table.value(.wifi, .interfaceName) { $0.isInterfaceName ? $0 : nil }
    board = table.value(.board, .identifier) { $0.isIdentifier ? $0 : nil } ?? board
    programs[.touch] = Self.path(table, .onTouch)
    programs[.request] = Self.path(table, .onRequest)
    identityKeys = Self.path(table, .identityKeys)
    table.read(.drainInterval, into: &drainIntervalMilliseconds, in: 1...1000)
    table.read(.changedInterval, into: &changedIntervalMilliseconds, in: 100...3_600_000)
  }

  private static func path(_ table: TableReader<GatewayKey>, _ key: GatewayKey) -> String? {
    table.value(key, .absolutePath) { $0.isAbsolutePath ? $0 : nil }
  }

  private static func radio(_ table: TableReader<GatewayKey>) -> RadioSelection? {
    if case .string(let text)? = table.node(.radio)?.value, let scene = RadioSelection.simulatedScene(text) {
      table.report(.simulatedRadio(scene: scene), at: .radio)
      return nil
    }
    return table.value(.radio, .radio, RadioSelection.init(text:))
  }
}

extension Capacities {
  mutating func read(_ table: TableReader<CapacityKey>) {
    table.read(.devices, into: &devices, in: 16...65_536)
    table.read(.longPayloads, into: &longPayloads, in: 0...65_536)
    table.read(.reassemblies, into: &reassemblies, in: 1...256)
    table.read(.matchesPerItem, into: &matchesPerItem, in: 1...65_536)
    table.read(.accessories, into: &accessories, in: 1...65_536)
    table.read(.events, into: &events, in: 16...1_048_576)
    table.read(.eventBytes, into: &eventBytes, in: 4096...16_777_216)
  }
}

extension Limits {
  mutating func read(_ table: TableReader<LimitsKey>) {
    table.read(.pickerIdle, into: &pickerIdleSeconds, in: 10...86_400)
    table.read(.requestsPerMinute, into: &requestsPerMinute, in: 1...600)
    table.read(.candidates, into: &candidates, in: 1...1024)
    table.read(.connections, into: &connections, in: 2...4096)
    table.read(.connectionsPerUser, into: &connectionsPerUser, in: 1...4096)
    table.read(.connectionsForOperators, into: &connectionsForOperators, in: 1...4096)
    table.read(.writeBufferBytes, into: &writeBufferBytes, in: 65_536...16_777_216)
  }
}

extension RadioSelection {
  /// `any`, `hci0`, an address, `btsnoop:FILE` or `h4:PATH`.
  public init?(text: String) {
    if text == "any" {
      self = .any
    } else if let digits = text.remainder(after: "hci"), let index = UInt16(digits), String(index) == digits {
      self = .index(index)
    } else if let file = text.remainder(after: "btsnoop:") {
      self = .btsnoop(file)
    } else if let path = text.remainder(after: "h4:") {
      self = .h4(path)
    } else if let bits = AddressText.bits(text) {
      self = .address(bits)
    } else {
      return nil
    }
  }

  /// Returns the scene file of `virtual:FILE`, a form that the agent no longer accepts.
  public static func simulatedScene(_ text: String) -> String? { text.remainder(after: "virtual:") }

  /// The same form again.
  public var text: String {
    switch self {
    case .any: "any"
    case .index(let index): "hci\(index)"
    case .address(let bits): AddressText.text(of: bits)
    case .btsnoop(let file): "btsnoop:" + file
    case .h4(let path): "h4:" + path
    }
  }
}
