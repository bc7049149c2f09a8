// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import HCI
import MQTTBridge
import MQTTFormat
import ManifestFormat
import SensorFormats
import TestSupport

/// An advertisement, whose values a reader gets.
func fuzzSensors(_ bytes: RawSpan) {
  let values = SensorPayload(bytes.bytes).values
  precondition(values.count <= bytes.byteCount, "each value has bytes of its own")
  for value in values {
    precondition(!value.name.isEmpty && values.count { $0.name == value.name } == 1, "a name is there once")
    guard case .number(let number) = value.content else { continue }
    precondition((-18...0).contains(number.exponent), "the exponent is as documented")
    _ = number.rounded(decimals: 1).description
  }
  _ = SensorValue.text(of: values)
}

let sensorSeeds: [[UInt8]] = [
  // BTHome, Ruuvi 5, Ruuvi 6, Ruuvi 3, Eddystone, ATC1441, pvvx, the SIG's, an iBeacon.
  "0c16d2fc4002ca0903bf133a01", "1bff99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f",
  "17ff990406170c5668c79e007000c90501d9ffcd004c884f", "11ff990403291a1ece1efc18f94202ca0b53",
  "1116aafe20000bb8158000000064000003e8", "10161a18a4c13811223300e62b640b71c0",
  "12161a1833221138c1a42b089011f70a43200f", "0816" + "1c2a" + "00720100ff", "0516" + "6e2a" + "d009",
  "1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000640000c5",
].map { text in
  let digits = Array(text.utf8)
  return stride(from: 0, to: digits.count, by: 2).compactMap {
    UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
  }
}

/// What comes to the bridge for a broker. The first byte says from where: a command of the broker's clients (0 to 4), the agent
/// as the reply to one of the first calls (5 to 7), a retained topic of the broker (8), or the configuration (9).
func fuzzBroker(_ bytes: RawSpan) {
  let all = bytes.bytes
  guard let source = all.first else { return }
  let input = Array(all.dropFirst())
  if source == 9 {
    let reading = MQTTConfigurationReader.read(text: input, fileName: "mqtt.toml")
    precondition(reading.value != nil || !reading.lines.isEmpty, "a configuration, or what is wrong with it")
    return
  }
  var configuration = MQTTConfiguration()
  (configuration.acceptsCommands, configuration.showsAddresses) = (true, true)
  configuration.publishesUndecoded = true
  var bridge = MQTTBridge(configuration, host: "gw", version: "1", cursor: .none)
  var now = Duration.zero
  var published: [Int] = []
  func step(_ input: MQTTBridge.Input) {
    for effect in bridge.step(input, at: now) {
      if case .publish(let number, _) = effect { published.append(number) }
    }
  }
  step(.start)
  step(.brokerConnected)
  for number in 1...3 { step(.agent(.opened(BridgeCallID(number)))) }
  let list = #"{"parameters":{"isSynced":true},"continues":true}"#
  step(.agent(.received(BridgeCallID(2), Array(list.utf8) + [0])))
  for number in 10...11 { step(.agent(.opened(BridgeCallID(number)))) }
  let commands = ["pick", "choose", "cancel", "rename", "remove"]
  switch source {
  case 0...4: step(.received(MQTTMessage("accessoryd/gw/command/\(commands[Int(source)])", input)))
  case 5: step(.agent(.received(BridgeCallID(2), input)))
  case 6: step(.agent(.received(BridgeCallID(3), input)))
  case 7: step(.agent(.received(BridgeCallID(11), input)))
  default:
    step(.received(MQTTMessage(String(decoding: input, as: UTF8.self), Array("x".utf8), retained: true)))
  }
  for _ in 0..<4 {
    now += .seconds(3)
    step(.timePassed)
    precondition(published.count <= 20 * 8, "no more is published than the window allows")
    for number in published { step(.acknowledged(number)) }
    published = []
  }
}

let brokerSeeds: [[UInt8]] = {
  let accessory =
    #"{"parameters":{"accessory":{"identifier":"00","app":"climate","displayName":"x","state":"authorized","#
    + #""status":"active","bond":"none","isIdentityDurable":true,"isInSight":true}},"continues":true}"#
  let event =
    #"{"parameters":{"event":{"sequence":0,"epoch":"1","time":0.1,"event":"found","app":"climate","item":"t","#
    + #""address":"C4:A1:00:00:00:01","addressType":"random","samples":1,"reason":"matched","#
    + #""data":"0201060716d2fc4002ca09"}},"continues":true}"#
  let begins = #"{"parameters":{"epoch":"1","sequence":0},"continues":true}"#
  let reset = #"{"parameters":{"epoch":"1","sequence":5,"isReset":true},"continues":true}"#
  let missed = #"{"parameters":{"missed":3},"continues":true}"#
  let gone = #"{"parameters":{"gone":"00"},"continues":true}"#
  let seeds: [(UInt8, [String])] = [
    (0, [#"{"id":1,"app":"climate","item":"x","timeout":60,"count":2}"#]),
    (1, [#"{"id":"a","request":"00","candidate":1,"name":"x"}"#]),
    (2, [#"{"id":2}"#]),
    (3, [#"{"id":3,"accessory":"Cellar","name":"x"}"#]),
    (4, [#"{"id":4,"accessory":"Cellar"}"#]),
    (5, [accessory, gone]), (7, [reset]), (7, [begins, event, missed]),
    (8, ["accessoryd/gw/accessory/00/state"]),
    (9, ["schema = 1\n[broker]\nhost = \"b\"\n[broker.tls]\ncafile = \"/a\"\n"]),
  ]
  return seeds.map { source, texts in
    let ending: [UInt8] = (5...7).contains(source) ? [0] : []
    return [source] + texts.flatMap { Array($0.utf8) + ending }
  }
}()
