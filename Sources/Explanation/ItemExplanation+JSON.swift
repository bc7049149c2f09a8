// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import HCI
import Interfaces
public import JSON
import Manifest

extension ItemExplanation {
  public func writeMembers(to json: inout JSONWriter) {
    json.members(address)
    writeVerdict(to: &json)
    if let history { json.object("history", history) }
    if lossesToOtherFrames > 0 { json.member("lossesToOtherFrames", lossesToOtherFrames) }
    if isOfFrames {
      json.member("frames", setCount)
      json.member("framesHeardSince", setPosition)
      if !otherFrames.isEmpty { json.member("otherFrames", otherFrames) }
    } else if setCount > 1 {
      json.member("advertisingSets", setCount)
      json.member("setsHeardSince", setPosition)
    }
    json.objects("clauses", clauses) { $1.write(to: &$0) }
    json.object("gate", gate)
  }
}

extension ClauseAnswer {
  /// The members of an object.
  func write(to json: inout JSONWriter) {
    json.member("clause", key.rawValue)
    json.member("holds", holds)
    if let frame { json.member("frame", frame) }
    wanted.write("wanted", to: &json)
    if let mask { json.member("mask", Hex(mask)) }
    if key == .nameSubstring { json.member("options", options.words) }
    json.objects("compared", comparisons) { json, comparison in
      json.member("in", comparison.part.rawValue)
      json.member("offset", comparison.offset)
      json.member("type", comparison.type)
      comparison.value.write("value", to: &json)
      json.member("holds", comparison.holds)
      guard let masked = comparison.masked else { return }
      json.member("masked", Hex(masked.found))
      json.member("wantedMasked", Hex(masked.wanted))
      json.member("firstDifference", masked.firstDifference)
    }
  }
}

extension ClauseAnswer.Value {
  fileprivate func write(_ key: String, to json: inout JSONWriter) {
    switch self {
    case .company, .uuid, .address: json.member(key, text)
    case .bytes(let bytes): json.member(key, Hex(bytes))
    case .name(let name): json.member(key, name)
    }
  }

  public var text: String {
    switch self {
    case .company(let identifier): "0x" + Hex.digits(UInt64(identifier), count: 4)
    case .uuid(let uuid): uuid.text
    case .bytes(let bytes): bytes.isEmpty ? "(nothing)" : Hex(bytes).text
    case .name(let name): name.terminal(columnsMax: 40)
    case .address(let prefix): AddressText.text(of: prefix)
    }
  }
}
