// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Interfaces
import Manifest

/// Finds the clauses for a device whose layout is not known, from the shortest to the longest.
///
/// Headers come first and stay; readings, counters and salts come later and change. So a clause asks for at most
/// ``headerBytesMax`` bytes at the start of the data, and only for those that stayed the same in every device in sight
/// that sends the same company or service, and that other units of the kind have as well.
struct UnknownLayout {
  static let headerBytesMax = 4

  let others: [SuggestionSource]
  /// Those of the others that are units of the device's kind.
  let kin: [SuggestionSource]

  /// For each key of the fields.
  func candidates(for fields: LastingFields) -> [SuggestionCandidate] {
    var candidates: [SuggestionCandidate] = []
    for company in fields.companies {
      let header = header(of: company) { $0.data(of: company.key) }
      candidates += self.candidates(SuggestionCandidate(company: company.key), header, company.data, fields)
    }
    for service in fields.serviceData {
      let header = header(of: service) { $0.data(of: service.key) }
      candidates += self.candidates(SuggestionCandidate(service: service.key), header, service.data, fields)
    }
    for service in fields.services where fields.data(of: service) == nil {
      candidates += self.candidates(SuggestionCandidate(service: service), [], nil, fields)
    }
    return candidates
  }

  /// Why an item asks for a name alone, of a device that has a company or a service.
  enum NameReason { case otherKeys, seldomKey, keyInResponse }

  /// For each name alone.
  func namedCandidates(for fields: LastingFields, _ nameReason: NameReason) -> [SuggestionCandidate] {
    let reason =
      switch (fields.hasKey, nameReason) {
      case (false, _): "It sends no company and no service that stays the same"
      case (true, .seldomKey): "It hardly ever sends its company or service"
      case (true, .keyInResponse): "Its company or service stands in the scan response, and its name does not"
      case (true, .otherKeys): "Other units of its kind have another company or service"
      }
    let alone = SuggestionCandidate(
      nil, "\(reason), so the item asks for the name alone, which any device may use.")
    return named(alone, fields)
  }

  private func candidates(
    _ key: SuggestionCandidate, _ header: [BytePattern], _ data: KeyData?, _ fields: LastingFields
  ) -> [SuggestionCandidate] {
    var key = key
    // A company that was seen before one and the same data may be part of it.
    let isSteady = (data?.payloads.count ?? HeardFrame.differentMax) < HeardFrame.differentMax
    let isGeneral = key.descriptor.serviceUUID.map { !DeviceKind.isOfMaker($0) } ?? false
    key.doubts = (isSteady && key.descriptor.companyIdentifier != nil) || isGeneral ? 1 : 0
    var candidates = [key]
    for count in header.indices where header[count].mask != 0 {
      var candidate = key
      candidate.ask(Array(header[...count]))
      candidate.doubts += isSteady ? 1 : 0
      candidates.append(candidate)
    }
    return candidates + named(key, fields)
  }

  /// The candidate with each name that the device has in one view with the rest.
  private func named(_ key: SuggestionCandidate, _ fields: LastingFields) -> [SuggestionCandidate] {
    fields.names.compactMap { name in
      var candidate = key
      return candidate.ask(nameBeginningWith: name.beginning, of: fields.source) ? candidate : nil
    }
  }

  /// The first bytes; those that changed, in this device or in another, or are others in its kind, count for nothing.
  private func header<Key>(
    of keyed: LastingFields.Keyed<Key>, data: (SuggestionSource) -> KeyData?
  ) -> [BytePattern] {
    let relatives = others.compactMap(data)
    let header = kin.compactMap(data).reduce(keyed.header) { $0.common(with: $1.all) }
    return header.prefix(Self.headerBytesMax).enumerated().map { index, byte in
      let changes = relatives.contains { $0.all.indices.contains(index) && $0.all[index].mask != 0xFF }
      return changes ? .any : byte.whole
    }
  }
}
