// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Discovery
public import Interfaces
public import JSON
import Manifest

extension ItemExplanation: ReadableLine {
  /// Whether it matches follows from its clauses, whether it has found the device from its presence: neither is taken
  /// from the line.
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    var clauses: [ClauseAnswer] = []
    for clause in try line.objects("clauses") { clauses.append(try ClauseAnswer(reading: clause)) }
    var position: Int? = try line.integerIfPresent("framesHeardSince")
    if position == nil { position = try line.integerIfPresent("setsHeardSince") }
    let frameCount: Int? = try line.integerIfPresent("frames")
    var count = frameCount
    if count == nil { count = try line.integerIfPresent("advertisingSets") }
    self.init(
      address: try line.address(), app: try line.string("app"), item: try line.string("item"),
      isAlternate: try line.isAlternate(), clauses: clauses,
      setPosition: position ?? 0, setCount: count ?? 1, isOfFrames: frameCount != nil,
      presence: try line.valueIfPresent("presence", of: Presence.allCases, \.rawValue),
      gate: try GateAnswer(reading: try line.object("gate")), history: try line.lineIfPresent("history"),
      lossesToOtherFrames: try line.integerIfPresent("lossesToOtherFrames") ?? 0,
      otherFrames: try line.integersIfPresent("otherFrames") ?? [])
  }
}

extension ClauseAnswer {
  /// The keys of a descriptor that are clauses.
  static let keys: [DescriptorKey] = [
    .companyIdentifier, .manufacturerDataBlob, .serviceUUID, .serviceDataBlob, .nameSubstring,
    .addressPrefix,
  ]

  fileprivate init(reading clause: JSONObjectReader) throws(JSONMemberError) {
    let key = try clause.value("clause", of: Self.keys, \.rawValue)
    let wanted = try Value(reading: clause, "wanted", of: key)
    if case .address(let prefix) = wanted {
      self.init(prefix, holds: try clause.bool("holds"))
      frame = try clause.integerIfPresent("frame")
      return
    }
    let mask = try clause.bytesIfPresent("mask")
    var options: CompareOptions = []
    if key == .nameSubstring {
      for word in try clause.strings("options") {
        guard let option = CompareOptions(word: word) else { throw clause.error("options", .unknownValue) }
        options.insert(option)
      }
    }
    var comparisons: [Comparison] = []
    for comparison in try clause.objects("compared") {
      comparisons.append(try Comparison(reading: comparison, of: key))
    }
    self.init(key, wanted: wanted, mask: mask, options: options, comparisons)
    frame = try clause.integerIfPresent("frame")
  }
}

extension ClauseAnswer.Comparison {
  fileprivate init(reading comparison: JSONObjectReader, of key: DescriptorKey) throws(JSONMemberError) {
    var masked: MaskedComparison?
    if let found = try comparison.bytesIfPresent("masked") {
      masked = MaskedComparison(found: found, wanted: try comparison.bytes("wantedMasked"))
      if masked == nil { throw comparison.error("masked", .unknownValue) }
    }
    let parts: [PayloadPart] = [.data, .response]
    self.init(
      part: try comparison.value("in", of: parts, \.rawValue), offset: try comparison.integer("offset"),
      type: try comparison.integer("type"),
      value: try ClauseAnswer.Value(reading: comparison, "value", of: key), masked: masked,
      holds: try comparison.bool("holds"))
  }
}

extension ClauseAnswer.Value {
  /// What a member says depends on what its clause asks for.
  fileprivate init(
    reading line: JSONObjectReader, _ name: String, of key: DescriptorKey
  ) throws(JSONMemberError) {
    switch key {
    case .companyIdentifier:
      guard let company = IdentifierText.companyIdentifier(try line.string(name)) else {
        throw line.error(name, .unknownValue)
      }
      self = .company(company)
    case .serviceUUID:
      guard let uuid = IdentifierText.serviceUUID(try line.string(name)) else {
        throw line.error(name, .unknownValue)
      }
      self = .uuid(uuid)
    case .manufacturerDataBlob, .serviceDataBlob: self = .bytes(try line.bytes(name))
    case .nameSubstring: self = .name(try line.airText(name))
    case .addressPrefix:
      guard let prefix = AddressText.prefix(try line.string(name)) else {
        throw line.error(name, .unknownValue)
      }
      self = .address(prefix)
    case .manufacturerDataMask, .serviceDataMask, .nameCompareOptions, .namePrefix, .range, .ssid,
      .ssidHex, .ssidPrefix, .ssidPrefixHex, .wifiAwareServiceName, .wifiAwareServiceRole,
      .wifiAwareModelName,
      .wifiAwareModelNameCompareOptions, .wifiAwareVendorName, .wifiAwareVendorNameCompareOptions,
      .supportedOptions:
      throw line.error("clause", .unknownValue)
    }
  }
}

extension GateAnswer {
  fileprivate init(reading gate: JSONObjectReader) throws(JSONMemberError) {
    let isImmediate = try gate.value("range", of: [false, true]) { $0 ? "immediate" : "default" }
    self.init(
      level: try gate.decibelsIfPresent("filteredRSSI"), pathLoss: try gate.integerIfPresent("pathLoss"),
      readingCount: try gate.integer("samples"), reportCount: try gate.integer("reports"),
      learnedMilliseconds: try gate.integerIfPresent("learnedIntervalMilliseconds"),
      rhythmMilliseconds: try gate.integerIfPresent("rhythmMilliseconds"),
      silenceMilliseconds: try gate.integer("silenceMilliseconds"),
      lostMilliseconds: try gate.integer("lostMilliseconds"),
      immediate: isImmediate ? try Immediate(reading: gate) : nil)
  }
}

extension GateAnswer.Immediate {
  fileprivate init(reading gate: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      enter: try gate.decibels("enterRSSI"), leave: try gate.decibels("leaveRSSI"),
      samples: try gate.integer("samplesInWindow"), samplesMin: try gate.integer("samplesMin"),
      windowMilliseconds: try gate.integer("windowMilliseconds"),
      stateMilliseconds: try gate.integerIfPresent("stateMilliseconds"),
      enterDwellMilliseconds: try gate.integer("enterDwellMilliseconds"),
      leaveDwellMilliseconds: try gate.integer("leaveDwellMilliseconds"))
  }
}
