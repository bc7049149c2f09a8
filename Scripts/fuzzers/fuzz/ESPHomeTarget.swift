// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import ESPHome
import TestSupport

/// What comes to a bridge for Home Assistant. The first byte says from where: a client in plaintext (0) or with encryption (1),
/// the agent as the reply to one of the first calls (2 to 4), or its stream of reports (5).
func fuzzESPHome(_ bytes: RawSpan) {
  let all = bytes.bytes
  guard let source = all.first else { return }
  let input = all.dropFirst()
  func end(_ pieces: [ArraySlice<UInt8>]) -> [ESPHomeBridge.Effect] {
    let key = source == 1 ? [UInt8](repeating: 7, count: GatewayKey.byteCount) : nil
    let identity = GatewayIdentity(name: "gw", friendlyName: "gw", address: 0x0200_0000_0000, version: "1")
    var bridge = ESPHomeBridge(identity, key: key)
    var effects = bridge.step(.start, at: .zero)
    let client = ESPHomeClientID(1)
    effects += bridge.step(.accepted(client, address: "::1", secret: [UInt8](1...32)), at: .zero)
    for number in 1...3 { effects += bridge.step(.agentOpened(BridgeCallID(number)), at: .zero) }
    for piece in pieces {
      let input: ESPHomeBridge.Input =
        switch source {
        case 0, 1: .received(client, Array(piece))
        case 2...4: .agentReceived(BridgeCallID(Int(source) - 1), Array(piece))
        default: .reports(Array(piece))
        }
      effects += bridge.step(input, at: .zero)
      precondition(bridge.unsent(of: client).count < 1 << 17, "what waits for a client is bounded")
    }
    effects += bridge.step(.timePassed, at: .seconds(300))
    return effects.filter { if case .close = $0 { true } else { false } }
  }
  let whole = end([input])
  guard source < 5 else { return }
  let middle = input.startIndex + input.count / 2
  precondition(whole == end([input[..<middle], input[middle...]]), "pieces mean the same")
}

let esphomeSeeds: [[UInt8]] = {
  // Hello, the device, the entities, states, reports, a switch, an action, a key, and the end.
  let messages: [(type: UInt8, fields: [UInt8])] = [
    (1, [0x0A, 1, 0x41, 0x10, 1]), (9, []), (11, []), (20, []), (66, [8, 1]), (127, [8, 1]),
    (33, [0x0D, 1, 0, 0, 0, 0x10, 1]), (42, [0x0D, 101, 0, 0, 0, 0x12, 3, 0x22, 1, 0x41, 0x18, 7]),
    (124, [0x0A, 1, 0x41]), (68, [8, 1, 0x10, 5]), (75, [8, 1, 0x10, 3, 0x18, 1, 0x22, 1, 9]), (5, []),
  ]
  let frames = messages.map { [0, UInt8($0.fields.count), $0.type] + $0.fields }
  let replies = [
    #"{"parameters":{"epoch":"1","time":0,"adapters":[]}}"#,
    #"{"parameters":{"isSynced":true},"continues":true}"#,
    #"{"parameters":{},"error":"org.varlink.service.PermissionDenied"}"#,
  ].map { Array($0.utf8) + [0] }
  let opening = [1, 0, 0, 1, 0, 49, 0] + [UInt8](repeating: 9, count: 48)
  let radio = [5, 1, 1] + [UInt8](repeating: 0, count: 22) + [0, 1]
  return [[0] + frames.flatMap(\.self), [1] + opening, radio]
    + replies.enumerated().map { [UInt8($0.offset + 2)] + $0.element }
}()
