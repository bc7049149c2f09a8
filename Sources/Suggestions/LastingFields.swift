// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import HCI
import Interfaces

/// The fields of an advertising set that stay the same in every report of a frame, so that an item may ask for them.
///
/// Many makers put a reading or the device's own address where the company identifier or the UUID belongs, or into a name. Whatever
/// changed, and whatever repeats the address, is no part of this.
struct LastingFields {
  /// What counts as lasting: the surest first, each with what is before it.
  enum Trust: Int, CaseIterable {
    /// What is hardly a reading.
    case proven
    /// Also the beginnings of names that many devices may have.
    case shortNames
    /// Also a company identifier or a service that takes turns with others.
    case turns
  }

  /// A company identifier or a service UUID, and the data after it.
  struct Keyed<Key: Equatable & Sendable>: Sendable {
    let key: Key
    var data: KeyData
    /// The first bytes after the key: those that never changed and are not the device's own address.
    var header: [BytePattern]
    /// Whether the advertisement has it, and not only the scan response.
    var isInData: Bool
  }

  struct Name: Equatable, Sendable {
    var beginning: [UInt8]
    /// Whether nothing was left out at its end.
    let isWhole: Bool
    let isInData: Bool

    /// What both begin with, if they may be the names of two units of one kind.
    func common(with other: Name) -> [UInt8]? {
      NameBeginning.common(beginning, other.beginning, areWhole: isWhole && other.isWhole)
    }
  }

  let source: SuggestionSource
  let trust: Trust
  private let own: OwnAddress
  private(set) var companies: [Keyed<UInt16>] = []
  private(set) var serviceData: [Keyed<BluetoothUUID>] = []
  /// Of lists.
  private(set) var services: [BluetoothUUID] = []
  /// What names begin with; those of the advertisement first.
  private(set) var names: [Name] = []

  var hasKey: Bool { !companies.isEmpty || !serviceData.isEmpty || !services.isEmpty }
  var address: DeviceAddress { source.address }

  init(_ source: SuggestionSource, _ trust: Trust = .proven) {
    (self.source, self.trust) = (source, trust)
    own = OwnAddress(source.address)
    for frame in source.frames {
      for structure in frame.structures {
        add(structure, isInData: frame.part == .data)
      }
    }
    names.sort { $0.isInData && !$1.isInData }
  }

  /// The same with names that are no longer than what those of other units have in common with them. Where that is short, also
  /// with what they begin with to the letter.
  func named(like units: [SuggestionSource]) -> LastingFields {
    var fields = self
    var literal = names.map(\.beginning)
    for other in units.flatMap({ LastingFields($0, trust).names }) {
      for index in names.indices {
        if let common = fields.names[index].common(with: other), !common.isEmpty {
          fields.names[index].beginning = common
          literal[index] = Array(zip(literal[index], other.beginning).prefix { $0 == $1 }.map(\.0))
        }
      }
    }
    for (name, literal) in zip(fields.names, literal)
    where name.beginning.count < NameBeginning.bytesMin && literal.count > name.beginning.count
      && AirText(literal).isWellFormed
    {
      fields.names.append(Name(beginning: literal, isWhole: false, isInData: name.isInData))
    }
    return fields
  }

  private mutating func add(_ structure: HeardFrame.Structure, isInData: Bool) {
    switch structure {
    case .manufacturerData(let keys):
      let lasting = keys.lasting(lengthsDiffer: true)
      for value in lasting.isEmpty && trust == .turns ? keys.doubtful : lasting {
        let key = [UInt8(truncatingIfNeeded: value.key), UInt8(truncatingIfNeeded: value.key >> 8)]
        guard let header = header(after: key, value.data) else { continue }
        Self.add(Keyed(key: value.key, data: value.data, header: header, isInData: isInData), to: &companies)
      }
    case .serviceData(let keys):
      let lasting = keys.lasting(lengthsDiffer: true)
      for value in lasting.isEmpty && trust == .turns ? keys.doubtful : lasting {
        guard let header = header(after: value.key.airBytes, value.data) else { continue }
        Self.add(
          Keyed(key: value.key, data: value.data, header: header, isInData: isInData), to: &serviceData)
      }
    case .services(let heard):
      let isLasting = trust != .turns || !heard.common.isEmpty
      for uuid in isLasting ? heard.common : heard.doubtful
      where !services.contains(uuid) && !own.covers(uuid.airBytes) {
        services.append(uuid)
      }
    case .name(let heard):
      let whole = source.name?.text.bytes ?? []
      guard let beginning = NameBeginning.lasting(heard, of: whole, own, isShort: trust != .proven)
      else { return }
      let name = Name(
        beginning: beginning, isWhole: beginning == heard.beginning && !heard.changes, isInData: isInData)
      if !names.contains(name) { names.append(name) }
    }
  }

  private static func add<Key>(_ new: Keyed<Key>, to list: inout [Keyed<Key>]) {
    guard let index = list.firstIndex(where: { $0.key == new.key }) else { return list.append(new) }
    list[index].data.add(new.data)
    list[index].header = list[index].header.common(with: new.header)
    list[index].isInData = list[index].isInData || new.isInData
  }

  /// The bytes after a key, in the order of the air. Nil when the key itself repeats the address.
  private func header(after key: [UInt8], _ data: KeyData) -> [BytePattern]? {
    if own.covers(key, before: data.all) { return nil }
    let whole = key.map { BytePattern($0) } + data.all.map(\.whole)
    return Array(own.removed(from: whole)[key.count...])
  }

  func data(of company: UInt16) -> KeyData? { companies.first { $0.key == company }?.data }

  func data(of service: BluetoothUUID) -> KeyData? { serviceData.first { $0.key == service }?.data }
}

extension BluetoothUUID {
  /// In the shortest form, in the order of the air.
  fileprivate var airBytes: [UInt8] {
    if let short {
      return (0..<(short > 0xFFFF ? 4 : 2)).map { UInt8(truncatingIfNeeded: short >> UInt32(8 * $0)) }
    }
    return [low, high].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(8 * $0)) }
    }
  }
}
