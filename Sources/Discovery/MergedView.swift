// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Latest advertising data and latest scan response of one advertiser, borrowed; clauses may be met by either.
struct MergedView: ~Escapable {
  let data: RawSpan
  let response: RawSpan

  @_lifetime(copy data, copy response)
  init(data: RawSpan, response: RawSpan) {
    self.data = data
    self.response = response
  }
}

/// The clauses of a descriptor that the index did not prove.
struct Residue: BitwiseCopyable {
  var needsManufacturer = false
  var needsService = false
  var needsName = false
  var needsAddress = false

  @inline(__always)
  var isThere: Bool { needsManufacturer || needsService || needsName || needsAddress }
}

extension Matcher {
  /// Whether the clauses that remain hold too. Nothing here changes the matcher; `mutating` saves copying it.
  mutating func holds(_ descriptor: Descriptor, on view: borrowing MergedView) -> Bool {
    let residue = descriptor.residue
    if residue.needsAddress, descriptor.clauses.addressPrefix?.begins(addressBits) != true {
      return false
    }
    if residue.needsManufacturer,
      !has(.manufacturer, descriptor.clauses, in: view.data),
      !has(.manufacturer, descriptor.clauses, in: view.response)
    {
      return false
    }
    if residue.needsService,
      !has(.service, descriptor.clauses, in: view.data), !has(.service, descriptor.clauses, in: view.response)
    {
      return false
    }
    return !residue.needsName
      || has(.name, descriptor.clauses, in: view.data) || has(.name, descriptor.clauses, in: view.response)
  }

  enum Clause: BitwiseCopyable { case manufacturer, service, name }

  /// Whether some structure of `payload` meets one clause.
  private mutating func has(_ clause: Clause, _ clauses: DescriptorClauses, in payload: RawSpan) -> Bool {
    var structures = ADStructures(payload)
    while true {
      do throws(MalformedStructureError) {
        guard let structure = try structures.next() else { return false }
        if meets(clause, clauses, try structure.decoded()) { return true }
      } catch {
        continue  // A malformed structure matches nothing; the scan of the payload counted it.
      }
    }
  }

  private mutating func meets(
    _ clause: Clause, _ clauses: DescriptorClauses, _ value: borrowing ADValue
  ) -> Bool {
    switch value {
    case .manufacturerData(let company, let payload):
      return clause == .manufacturer && company == clauses.companyIdentifier
        && isMasked(payload, clauses.manufacturerBlob, clauses.manufacturerMask)
    case .serviceData(let uuid, let payload):
      return clause == .service && uuid == clauses.serviceUUID
        && isMasked(payload, clauses.serviceBlob, clauses.serviceMask)
    case .services(let list):
      guard clause == .service, clauses.serviceBlob.byteCount == 0 else { return false }
      for index in 0..<list.count where list[index] == clauses.serviceUUID { return true }
      return false
    case .name(let name, _):
      return clause == .name && NameClause.matches(name, span(clauses.name), clauses.nameOptions)
    case .flags, .solicitations, .txPowerLevel, .appearance, .other:
      return false
    }
  }

  /// `(payload[i] & mask[i]) == (blob[i] & mask[i])` for every i; a shorter payload never matches.
  private mutating func isMasked(_ payload: RawSpan, _ blob: StoredBytes, _ mask: StoredBytes) -> Bool {
    guard payload.byteCount >= Int(blob.byteCount) else { return false }
    for index in 0..<Int(blob.byteCount) {
      let wanted = span(mask).uint8(at: index)
      if (payload.uint8(at: index) ^ span(blob).uint8(at: index)) & wanted != 0 { return false }
    }
    return true
  }
}
