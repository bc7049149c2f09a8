// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI

/// A program that lets the kernel drop the advertising reports that no item looks for, and pass everything else.
///
/// A legacy or extended event with one whole report of legacy advertising passes if its address is listed, or one of its AD
/// structures meets a clause of an item; else the first bytes of one in 64 pass by chance, as a sign of life. Every other packet passes:
/// what is malformed, has several reports, more than five AD structures, or data that may be a part of longer ones.
///
/// Capacity: the kernel's ``instructionsMax``. What does not fit is compared in less detail.
public struct FilterProgram: Equatable, Sendable {
  /// How much of the items' data is compared, the most first: everything, the first bytes, nothing but the keys.
  public enum Detail: Int, CaseIterable, Sendable { case wholeData, firstBytes, keys }

  /// What a program is made from.
  public struct Contents: Equatable, Sendable {
    public var descriptors: [DiscoveryDescriptor] = []
    /// Devices whose every report passes, by the last four bytes of their addresses.
    public var addresses: Set<UInt32> = []
    /// Whether resolvable private addresses pass, because there are keys that may resolve them.
    public var passesPrivateAddresses = false

    public init() {}
  }

  /// BPF_MAXINSNS of the kernel.
  public static let instructionsMax = 4096
  /// Of how many reports that nothing looks for one passes by chance; a power of two.
  public static let chanceOfOneIn: UInt32 = 64

  public let instructions: [FilterInstruction]
  public let detail: Detail

  /// The program that compares most, beginning with `start`; nil if none fits.
  public init?(_ contents: Contents, from start: Detail = .wholeData) {
    for detail in Detail.allCases where detail.rawValue >= start.rawValue {
      let written = FilterWriter.write(contents, detail)
      guard written.count <= Self.instructionsMax else { continue }
      (instructions, self.detail) = (written, detail)
      return
    }
    return nil
  }
}

/// The clauses of all descriptors, each by itself: the advertising data may meet one, and the scan response the other.
struct FilterClauses {
  /// Data after a key, by the key's number as the kernel loads it from a packet. Without bytes any data will do.
  typealias KeyedData = [UInt32: Set<MaskedBytes>]

  private(set) var companies: KeyedData = [:]
  /// 16-bit service data.
  private(set) var serviceData: KeyedData = [:]
  /// How names begin, under the number 0.
  private(set) var names: KeyedData = [:]
  /// Services in lists: 16-bit UUIDs, and the first four bytes of all.
  private(set) var services: Set<UInt32> = []
  private(set) var hasServices = false
  /// How addresses begin: a mask over their first four bytes, and what is under it.
  private(set) var prefixes: [UInt32: Set<UInt32>] = [:]
  /// Whether advertising data and scan response may have to meet a descriptor together.
  private(set) var needsBothParts = false

  init(_ descriptors: [DiscoveryDescriptor]) {
    for descriptor in descriptors {
      if let prefix = descriptor.addressPrefix { add(prefix) } else { add(descriptor) }
    }
  }

  private mutating func add(_ descriptor: DiscoveryDescriptor) {
    let anything = MaskedBytes(blob: [])
    let (company, service) = (descriptor.companyIdentifier, descriptor.serviceUUID)
    if let company {
      companies[UInt32(company.byteSwapped), default: []].insert(descriptor.manufacturerData ?? anything)
    }
    if let service {
      hasServices = true
      let first = UInt32(truncatingIfNeeded: service.high >> 32)
      if descriptor.serviceData == nil { services.insert(first.byteSwapped) }
      if service.short == first, let short = UInt16(exactly: first)?.byteSwapped {
        if descriptor.serviceData == nil { services.insert(UInt32(short)) }
        serviceData[UInt32(short), default: []].insert(descriptor.serviceData ?? anything)
      }
    }
    let clauses = [company != nil, service != nil, descriptor.nameSubstring != nil]
    if clauses.count(where: \.self) > 1 { needsBothParts = true }
    guard let name = descriptor.nameSubstring else { return }
    let options = descriptor.nameCompareOptions
    let isPrefix = options.contains(.anchored) && options.isDisjoint(with: [.backwards, .caseInsensitive])
    names[0, default: []].insert(isPrefix ? MaskedBytes(blob: name) : anything)
  }

  private mutating func add(_ prefix: AddressPrefix) {
    let mask = UInt32.max >> (32 - 8 * min(4, UInt32(prefix.byteCount)))
    let address = prefix.bits << (48 - 8 * UInt64(prefix.byteCount))
    let bits = UInt32(truncatingIfNeeded: address >> 16)
    prefixes[mask, default: []].insert(bits.byteSwapped & mask)
  }
}
