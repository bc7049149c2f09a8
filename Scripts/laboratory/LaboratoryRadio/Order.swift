// SPDX-License-Identifier: GPL-3.0-or-later

/// A line that a scenario sends to the controller's program: a verb, and arguments of the form key=value.
///
///     count
///     load kind=legacy|mixed rate=N|flat-out count=N addresses=N targets=N
///     replay path=FILE
///     stop
///     fault kind=silent|deaf|ignoring|refusing [opcode=0x200c] [status=0x0c] [resets=N | scans=N]
///     clear
///     emit bytes=041001ff
///     unplug
///     plug
public enum Order: Equatable, Sendable {
  case count
  case load(ReportLoad.Kind, rate: Int?, count: Int, addressCount: Int, targets: Int)
  case replay(path: String)
  case stop
  case fault(StationFault)
  case clearFault
  case emit([UInt8])
  case unplug
  case plug

  /// Nil when the line is not a valid order.
  public init?(_ line: String) {
    let parts = line.split(separator: " ")
    var values: [Substring: Substring] = [:]
    for part in parts.dropFirst() {
      guard let sign = part.firstIndex(of: "=") else { return nil }
      values[part[..<sign]] = part[part.index(after: sign)...]
    }
    switch parts.first {
    case "count": self = .count
    case "stop": self = .stop
    case "clear": self = .clearFault
    case "unplug": self = .unplug
    case "plug": self = .plug
    case "load":
      guard let load = Self.load(values) else { return nil }
      self = load
    case "replay":
      guard let path = values["path"] else { return nil }
      self = .replay(path: String(path))
    case "fault":
      guard let fault = StationFault(values) else { return nil }
      self = .fault(fault)
    case "emit":
      guard let bytes = values["bytes"].flatMap(Self.bytes) else { return nil }
      self = .emit(bytes)
    default: return nil
    }
  }

  private static func load(_ values: [Substring: Substring]) -> Order? {
    guard let kind = ReportLoad.Kind(rawValue: String(values["kind"] ?? "legacy")),
      let count = values["count"].flatMap({ Int($0) }), count > 0,
      let addressCount = Int(values["addresses"] ?? "300"), addressCount > 0,
      let targets = Int(values["targets"] ?? "10"), (0...100).contains(targets)
    else { return nil }
    let rate = values["rate"].flatMap { Int($0) }
    guard values["rate"] == "flat-out" || rate.map({ $0 > 0 }) ?? false else { return nil }
    return .load(kind, rate: rate, count: count, addressCount: addressCount, targets: targets)
  }

  /// Pairs of hexadecimal digits.
  private static func bytes(_ text: Substring) -> [UInt8]? {
    guard text.utf8.count % 2 == 0 else { return nil }
    let digits = Array(text)
    let bytes = stride(from: 0, to: digits.count, by: 2)
      .compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    return bytes.count * 2 == digits.count ? bytes : nil
  }
}

extension StationFault {
  init?(_ values: [Substring: Substring]) {
    guard let kind = Kind(values) else { return nil }
    var cure = Cure.none
    if let count = values["resets"].flatMap({ Int($0) }) { cure = .resets(count) }
    if let count = values["scans"].flatMap({ Int($0) }) { cure = .scanEnables(count) }
    self.init(kind, opcode: values["opcode"].flatMap { UInt16($0.dropFirst(2), radix: 16) }, cure: cure)
  }
}

extension StationFault.Kind {
  fileprivate init?(_ values: [Substring: Substring]) {
    switch values["kind"] {
    case "silent": self = .silent
    case "deaf": self = .deaf
    case "ignoring": self = .ignoring
    case "refusing":
      let status = values["status"].flatMap { UInt8($0.dropFirst(2), radix: 16) }
      // Command Disallowed.
      self = .refusing(status: status ?? 0x0C)
    default: return nil
    }
  }
}
