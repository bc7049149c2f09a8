// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import HCI
import Interfaces

/// Every report of one frame of a set: of one part, with structures of the same AD types in the same order.
///
/// It says what never changed in all of them, however many there were. Capacity: the first ``structuresMax`` structures;
/// ``differentMax`` different reports; what a structure keeps is bounded by ``HeardKeys`` and ``KeyData``.
struct HeardFrame: Sendable {
  /// As many different reports show which bytes change.
  static let differentMax = 3
  private static let structuresMax = 8

  /// What all reports had in one structure.
  enum Structure: Sendable {
    case manufacturerData(HeardKeys<UInt16>)
    case serviceData(HeardKeys<BluetoothUUID>)
    case services(HeardServices)
    case name(HeardName)
  }

  let part: PayloadPart
  let types: [UInt8]
  private(set) var structures: [Structure]
  /// The first different ones.
  private(set) var payloads: [[UInt8]]
  private(set) var reportCount = 1

  init(_ observed: [ObservedStructure], _ payload: [UInt8], _ part: PayloadPart) {
    self.part = part
    types = observed.prefix(Self.structuresMax).map(\.type)
    structures = observed.prefix(Self.structuresMax).map { Structure($0.value) }
    payloads = [payload]
  }

  func covers(_ observed: [ObservedStructure], _ part: PayloadPart) -> Bool {
    self.part == part && types == observed.prefix(Self.structuresMax).map(\.type)
  }

  mutating func add(_ observed: [ObservedStructure], _ payload: [UInt8]) {
    for (index, structure) in observed.prefix(Self.structuresMax).enumerated() {
      structures[index].add(structure.value)
    }
    if payloads.count < Self.differentMax, !payloads.contains(payload) { payloads.append(payload) }
    reportCount += 1
  }
}

extension HeardFrame.Structure {
  fileprivate init(_ value: ObservedStructure.Value) {
    switch value {
    case .manufacturerData(let company, let payload): self = .manufacturerData(HeardKeys(company, payload))
    case .serviceData(let uuid, let payload): self = .serviceData(HeardKeys(uuid, payload))
    case .services(let list): self = .services(HeardServices(list))
    case .name(let name): self = .name(HeardName(name))
    }
  }

  fileprivate mutating func add(_ value: ObservedStructure.Value) {
    switch (self, value) {
    case (.manufacturerData(var keys), .manufacturerData(let company, let payload)):
      keys.add(company, payload)
      self = .manufacturerData(keys)
    case (.serviceData(var keys), .serviceData(let uuid, let payload)):
      keys.add(uuid, payload)
      self = .serviceData(keys)
    case (.services(var heard), .services(let list)):
      heard.add(list)
      self = .services(heard)
    case (.name(var heard), .name(let name)):
      heard.add(name)
      self = .name(heard)
    case (.manufacturerData, _), (.serviceData, _), (.services, _), (.name, _): break
    }
  }
}

/// What all names of a frame begin with.
struct HeardName: Equatable, Sendable {
  private(set) var beginning: [UInt8]
  /// Whether they went on differently.
  private(set) var changes = false

  init(_ name: [UInt8]) { beginning = name }

  mutating func add(_ name: [UInt8]) {
    guard name != beginning else { return }
    changes = true
    beginning = Array(zip(beginning, name).prefix { $0 == $1 }.map(\.0))
  }
}

/// The data after one company identifier or service UUID.
///
/// Capacity: ``variantsMax`` variants and ``HeardFrame/differentMax`` different payloads, of ``bytesMax`` bytes each;
/// ``all`` covers every payload.
struct KeyData: Equatable, Sendable {
  private static let variantsMax = 8
  /// What an item may ask for stands in the first bytes.
  private static let bytesMax = 64

  /// The bytes that every payload had, and their bits that never changed.
  private(set) var all: [BytePattern]
  /// The same for the payloads of one length that begin with one byte: often the type of a frame.
  private(set) var variants: [[BytePattern]]
  /// The first different ones.
  private(set) var payloads: [[UInt8]]

  init(_ payload: [UInt8]) {
    payloads = [Array(payload.prefix(Self.bytesMax))]
    all = payloads[0].map { BytePattern($0) }
    variants = [all]
  }

  /// The lengths of the variants.
  var byteCounts: Set<Int> { Set(variants.map(\.count)) }

  mutating func add(_ whole: [UInt8]) {
    let payload = Array(whole.prefix(Self.bytesMax))
    let pattern = payload.map { BytePattern($0) }
    all = all.common(with: pattern)
    add(variant: pattern)
    if payloads.count < HeardFrame.differentMax, !payloads.contains(payload) { payloads.append(payload) }
  }

  /// Takes what another frame had after the same key.
  mutating func add(_ other: KeyData) {
    all = all.common(with: other.all)
    for variant in other.variants { add(variant: variant) }
    for payload in other.payloads
    where payloads.count < HeardFrame.differentMax && !payloads.contains(payload) {
      payloads.append(payload)
    }
  }

  private mutating func add(variant pattern: [BytePattern]) {
    let index = variants.firstIndex { $0.count == pattern.count && $0.first?.value == pattern.first?.value }
    if let index {
      variants[index] = variants[index].common(with: pattern)
    } else if variants.count < Self.variantsMax {
      variants.append(pattern)
    }
  }

  /// What all payloads had in common that begin with these bytes and are as long; nil when there was none.
  func frame(_ beginning: [UInt8] = [], bytesMin: Int, bytesMax: Int = .max) -> [BytePattern]? {
    let frames = variants.filter { variant in
      variant.count >= max(bytesMin, beginning.count) && variant.count <= bytesMax
        && variant.starts(with: beginning.map { BytePattern($0) })
    }
    guard let first = frames.first else { return nil }
    return frames.dropFirst().reduce(first) { $0.common(with: $1) }
  }
}

/// One byte of a blob and the bits of it that count.
struct BytePattern: Equatable, Sendable, ExpressibleByIntegerLiteral {
  let value: UInt8
  let mask: UInt8

  /// Any byte.
  static let any = BytePattern(0, mask: 0)

  init(_ value: UInt8, mask: UInt8 = 0xFF) {
    self.value = value
    self.mask = mask
  }

  init(integerLiteral value: UInt8) { self.init(value) }

  /// The same with fewer bits that count.
  func masked(_ mask: UInt8) -> BytePattern { BytePattern(value, mask: self.mask & mask) }

  /// The byte if every bit of it counts, else any.
  var whole: BytePattern { mask == 0xFF ? self : .any }
}

extension [BytePattern] {
  /// The bytes that both have, and of them the bits that are alike.
  func common(with other: [BytePattern]) -> [BytePattern] {
    zip(self, other).map { BytePattern($0.value, mask: $0.mask & $1.mask & ~($0.value ^ $1.value)) }
  }
}
