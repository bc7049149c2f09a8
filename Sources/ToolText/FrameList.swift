// SPDX-License-Identifier: GPL-3.0-or-later

public import Explanation
import HCI
import Interfaces
import JSON

/// Every different frame that was received from a device, and which items match it.
public struct FrameList {
  /// Frames that are shown; the others are counted.
  private static let shownMax = 8

  private let frames: [(data: [UInt8], response: [UInt8])]
  /// For each frame: the items whose clauses hold in it.
  private let items: [[String]]
  /// The numbers of frames in which one clause of an item holds, and another one in another.
  private let named: Set<Int>

  /// The newest frame is first, and `explanations` say which of them was explained.
  public init(_ frames: [(data: [UInt8], response: [UInt8])], _ explanations: [ItemExplanation]) {
    self.frames = frames
    named = Set(explanations.flatMap(\.clauses).compactMap(\.frame))
    items = frames.indices.map { index in
      explanations.filter { explanation in
        let isOther = explanation.otherFrames.contains(frames.count - index)
        return isOther || explanation.holds && explanation.setPosition == index
      }.map { explanation in
        AirText(Array("\(explanation.app)/\(explanation.item)".utf8)).escaped()
      }
    }
  }

  /// A few lines for each frame, in the order in which they came; nothing for a device that sent but one.
  public func text(_ style: TextStyle = .plain) -> String {
    guard frames.count > 1 else { return "" }
    var rows = TextRows(indent: 2, labelColumnCount: 10, style)
    let shown = shownIndices
    for index in shown.reversed() {
      let (data, response) = frames[index]
      rows.row("frame \(frames.count - index)", data.isEmpty ? "(no data)" : Hex(data).text)
      if !response.isEmpty { rows.row("", ["response"] + [Hex(response).text]) }
      if !items[index].isEmpty { rows.row("", ["matches"] + items[index]) }
    }
    if shown.count < frames.count { rows.row("", "and \(frames.count - shown.count) more") }
    return rows.text
  }

  /// Those that items match, or the explanations name, come before others.
  private var shownIndices: [Int] {
    let isFirst = { (index: Int) in !items[index].isEmpty || named.contains(frames.count - index) }
    return (frames.indices.filter(isFirst) + frames.indices.filter { !isFirst($0) }).prefix(Self.shownMax)
      .sorted()
  }
}
