// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestFormat
import VirtualRadio

extension SignalModel {
  /// The scene's defaults for every signal; the path is a placeholder.
  init(usual table: TableReader<SignalKey>) {
    self.init(.steady(-60))
    sigmaTenths = table.decibels(.sigma) ?? sigmaTenths
    lossPerMille = table.share(.loss) ?? lossPerMille
    channelOffsetsTenths = table.channels(.channels) ?? channelOffsetsTenths
    if table.node(.fades) != nil { fades = Fades(table.table(.fades)) }
  }

  /// The scene's defaults, overridden by the device's own keys.
  init?(_ table: TableReader<DeviceKey>, usual: SignalModel) {
    guard let path = SignalPath(table) else { return nil }
    self = usual
    self.path = path
    sigmaTenths = table.decibels(.sigma) ?? sigmaTenths
    lossPerMille = table.share(.loss) ?? lossPerMille
    channelOffsetsTenths = table.channels(.channels) ?? channelOffsetsTenths
    if table.node(.fades) != nil { fades = Fades(table.table(.fades)) }
  }
}

extension SignalModel.Fades {
  fileprivate init(_ table: TableReader<FadesKey>) {
    for key in FadesKey.allCases { table.require(key) }
    self.init(
      startsPerMille: table.share(.chance) ?? 0, depthTenths: table.decibels(.depth) ?? 0,
      milliseconds: table.milliseconds(.length, in: 1...3_600_000) ?? 0)
  }
}

extension SignalPath {
  fileprivate init?(_ table: TableReader<DeviceKey>) {
    guard table.node(.path) != nil else {
      if table.node(.dbm) == nil { table.reportMissing(.noLevel) }
      guard let level = table.level(.dbm) else { return nil }
      self = .steady(level)
      return
    }
    if table.node(.dbm) != nil { table.report(.twoLevels, at: .dbm) }
    let tables: [TableReader<PointKey>] = table.tables(.path)
    if case .array(let elements)? = table.node(.path)?.value, elements.isEmpty {
      table.report(.emptyPath, at: .path)
    }
    let points = tables.compactMap(Point.init)
    for (index, pair) in zip(points, points.dropFirst()).enumerated() where pair.1.time < pair.0.time {
      table.log.report(
        .rule(SceneDiagnostic.timeRunsBackwards.sentence),
        at: table.path(.path).appending(index: index + 1))
      return nil
    }
    guard points.count == tables.count, !points.isEmpty else { return nil }
    self.init(points)
  }
}

extension SignalPath.Point {
  fileprivate init?(_ table: TableReader<PointKey>) {
    for key in PointKey.allCases { table.require(key) }
    let time = table.duration(.at, in: 0...86_400_000_000)
    guard let time, let level = table.level(.dbm) else { return nil }
    self.init(time: Instant(microseconds: time), level: level)
  }
}

extension TableReader {
  /// The offsets of channels 37 to 39.
  fileprivate func channels(_ key: Key) -> SignalModel.ChannelOffsets? {
    guard node(key) != nil else { return nil }
    let levels = elements(key, expected: .texts).compactMap { element -> Int? in
      guard let text = text(element.node, at: element.path) else { return nil }
      guard let tenths = Quantity.tenths(text) else {
        log.report(.malformed(found: text, expected: .decibels), at: element.path)
        return nil
      }
      return tenths
    }
    guard case .array(let nodes)? = node(key)?.value else { return nil }
    guard nodes.count == 3 else {
      report(.notThreeChannels, at: key)
      return nil
    }
    return levels.count == 3 ? SignalModel.ChannelOffsets(levels[0], levels[1], levels[2]) : nil
  }
}
