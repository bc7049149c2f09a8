// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import HCI
import ManifestFormat
import NATSBridge
import NATSFormat
import TestSupport

/// What comes to the bridge for NATS. The first byte says from where: the server as the reply to what is asked at the start (0
/// to 4, by the message), as the acknowledgement of an event (5), the agent as the reply to one of the first calls (6 to 8), or
/// the configuration (9).
func fuzzNATS(_ bytes: RawSpan) {
  let all = bytes.bytes
  guard let source = all.first else { return }
  let input = Array(all.dropFirst())
  if source == 9 {
    let reading = NATSConfigurationReader.read(text: input, fileName: "nats.toml")
    precondition(reading.value != nil || !reading.lines.isEmpty, "a configuration, or what is wrong with it")
    return
  }
  var configuration = NATSConfiguration()
  (configuration.publishesReadings, configuration.publishesStatus) = (true, true)
  (configuration.showsAddresses, configuration.stream.isCreated) = (true, true)
  var bridge = NATSBridge(configuration, host: "gw", version: "1")
  var now = Duration.zero
  var requests: [(number: Int, subject: String)] = []
  func step(_ input: NATSBridge.Input) {
    for effect in bridge.step(input, at: now) {
      if case .request(let number, let message) = effect { requests.append((number, message.subject)) }
    }
  }
  func replyToAll(_ reply: (Int, String) -> [UInt8]) {
    let asked = requests
    requests = []
    for (index, request) in asked.enumerated() {
      step(.received(NATSReply(number: request.number, payload: reply(index, request.subject))))
    }
  }
  let good = Array(#"{"config":{"duplicate_window":120000000000}}"#.utf8)
  step(.start)
  step(.serverConnected)
  for number in 1...3 { step(.agent(.opened(BridgeCallID(number)))) }
  let list = #"{"parameters":{"isSynced":true},"continues":true}"#
  step(.agent(.received(BridgeCallID(2), Array(list.utf8) + [0])))
  for index in 0..<6 {
    replyToAll { place, _ in Int(source) == index || Int(source) == index + place ? input : good }
  }
  for number in 10...11 { step(.agent(.opened(BridgeCallID(number)))) }
  if (6...8).contains(source) { step(.agent(.received(BridgeCallID([2, 3, 11][Int(source) - 6]), input))) }
  for _ in 0..<4 {
    now += .seconds(3)
    step(.timePassed)
    precondition(requests.count <= 64 * 8, "no more is published than the window allows")
    replyToAll { _, _ in source == 5 ? input : good }
  }
}

let natsSeeds: [[UInt8]] = {
  // The headers: Accessory-Position: 1/5.
  let message = #"{"message":{"seq":5,"hdrs":"TkFUUy8xLjANCkFjY2Vzc29yeS1Qb3NpdGlvbjogMS81DQoNCg=="}}"#
  let refusal = #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#
  let event =
    #"{"parameters":{"event":{"sequence":0,"epoch":"1","time":0.1,"event":"found","app":"climate","item":"t","#
    + #""address":"C4:A1:00:00:00:01","addressType":"random","samples":1,"reason":"matched","#
    + #""data":"0201060716d2fc4002ca09"}},"continues":true}"#
  let begins = #"{"parameters":{"epoch":"1","sequence":0},"continues":true}"#
  let missed = #"{"parameters":{"missed":3},"continues":true}"#
  let seeds: [(UInt8, [String])] = [
    (0, [refusal]), (1, [message]), (2, [message]), (5, [#"{"stream":"ACCESSORIES","seq":1}"#]),
    (5, [refusal]),
    (8, [begins, event, missed]),
    (9, ["schema = 1\n[server]\nurls = [\"nats://b\"]\n[stream]\ncreate = true\n"]),
  ]
  return seeds.map { source, texts in
    let ending: [UInt8] = (6...8).contains(source) ? [0] : []
    return [source] + texts.flatMap { Array($0.utf8) + ending }
  }
}()
