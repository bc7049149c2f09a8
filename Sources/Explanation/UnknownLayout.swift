// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Manifest

/// Finds the shortest clause for a device whose layout is not known.
///
/// Headers come first and stay; readings, counters and salts come later and change. So the clause asks for at most
/// ``headerBytesMax`` bytes at the start of the data, and only for those that stayed the same in every device in sight
/// that sends the same company or service.
struct UnknownLayout {
  static let headerBytesMax = 4

  let others: [SuggestionSource]

  /// From the shortest clause to the longest, for each key of the source; for a source without a key, its name.
  func candidates(for source: SuggestionSource) -> [SuggestionCandidate] {
    var candidates: [SuggestionCandidate] = []
    for (company, data) in source.companies {
      let relatives = others.compactMap { $0.data(of: company) }
      candidates += self.candidates(SuggestionCandidate(company: company), data, relatives, source)
    }
    for (service, data) in source.serviceData {
      let relatives = others.compactMap { $0.data(of: service) }
      candidates += self.candidates(SuggestionCandidate(service: service), data, relatives, source)
    }
    for service in source.services where source.data(of: service) == nil {
      candidates += self.candidates(SuggestionCandidate(service: service), nil, [], source)
    }
    return candidates.isEmpty ? candidateByName(for: source) : candidates
  }

  private func candidateByName(for source: SuggestionSource) -> [SuggestionCandidate] {
    var candidate = SuggestionCandidate()
    guard let name = source.kindName, candidate.ask(nameBeginningWith: name, of: source) else { return [] }
    candidate.notes.append(
      "It sends no company and no service, so the item asks for the name alone, which any device may use.")
    return [candidate]
  }

  private func candidates(
    _ key: SuggestionCandidate, _ data: SuggestionSource.KeyData?, _ relatives: [SuggestionSource.KeyData],
    _ source: SuggestionSource
  ) -> [SuggestionCandidate] {
    var candidates = [key]
    if let data {
      let header = OwnAddress(source.address).removed(from: Self.header(of: data, besides: relatives))
      for count in header.indices where header[count].mask != 0 {
        var candidate = key
        candidate.ask(Array(header[...count]))
        candidates.append(candidate)
      }
    }
    if let name = source.kindName {
      var candidate = key
      if candidate.ask(nameBeginningWith: name, of: source) { candidates.append(candidate) }
    }
    return candidates
  }

  /// The first bytes; those that changed, in this device or in another, count for nothing.
  private static func header(
    of data: SuggestionSource.KeyData, besides others: [SuggestionSource.KeyData]
  ) -> [BytePattern] {
    data.bytes.prefix(headerBytesMax).enumerated().map { index, byte in
      let changes = ([data] + others).contains {
        $0.isConstant.indices.contains(index) && !$0.isConstant[index]
      }
      return changes ? .any : BytePattern(byte)
    }
  }
}
