// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// All descriptors of a manifest, compiled so that a payload costs its AD structures and the distinct masks under
/// their keys, not the number of descriptors.
///
/// Each descriptor waits under one of its clauses, the one that fewest others share. A name is a key too for
/// descriptors without any other, its first bytes being the data; so are the first bytes of an address.
///
///     key (company identifier or service UUID)          one hash probe per key in the payload
///       └ mask over the data after the key              each distinct mask once
///           └ masked value                              one bit test, then    one hash probe
///               └ descriptors                           whose other clauses are then looked up in the payload
///
/// Capacity: the descriptors and bytes for which it was measured. It is compiled once and then only read.
public struct Matcher: ~Copyable {
  var descriptors: FixedTable<Descriptor>
  let bytes: FixedTable<UInt8>
  let keys: FixedTable<Key>
  let groups: FixedTable<Group>
  let entries: FixedTable<Entry>
  /// Mask and value words of groups and entries.
  let words: FixedTable<UInt64>
  /// Slots of entries by masked value, -1 for a free one.
  let entrySlots: FixedTable<Int32>
  /// The evaluation that last counted each item.
  let stamps: FixedTable<UInt32>
  public internal(set) var descriptorCount = 0
  var used = Usage()
  var evaluation: UInt32 = 0
  /// Whether descriptors wait under names.
  var searchesNames = false
  /// Whether names, and whether company identifiers or services, may complete what another payload of a device met.
  var namesComplete = false
  var keysComplete = false
  /// Bit 0: some descriptor asks how the address begins. Bits 1 to 6: descriptors wait under that many of its bytes.
  private(set) var addressByteCounts: UInt8 = 0
  /// The address of the advertiser that is evaluated, if it stays; ``noAddress`` otherwise.
  private(set) var addressBits = Self.noAddress
  /// Every hash over a payload is a product with this secret number.
  let multiplier: UInt64

  /// The sizes of a matcher.
  public struct Size: Equatable, Sendable, BitwiseCopyable {
    public var descriptors: Int
    /// Display items, which descriptors refer to.
    public var items: Int
    /// Bytes of all blobs, masks and names.
    public var bytes: Int

    public init(descriptors: Int, items: Int, bytes: Int) {
      self.descriptors = descriptors
      self.items = items
      self.bytes = bytes
    }
  }

  /// How much of each table is in use.
  struct Usage: BitwiseCopyable {
    var bytes = 0
    var groups = 0
    var entries = 0
    var words = 0
  }

  struct Descriptor: BitwiseCopyable {
    var clauses = DescriptorClauses()
    var item: Int32 = 0
    /// The next descriptor under the same entry or key, -1 at the end.
    var next: Int32 = -1
    /// Clauses that finding the descriptor does not prove.
    var residue = Residue()
  }

  /// A key and what waits under it.
  struct Key: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
      case free
      case company
      /// A UUID on the Bluetooth base UUID, in its 16- or 32-bit form.
      case service
      /// Any other UUID.
      case longService
      /// All names.
      case name
      /// How an address begins.
      case address
    }

    /// The company identifier, the short UUID, the lower half of a long one, or the beginning of an address.
    var low: UInt64 = 0
    /// The upper half of a long UUID, or how many bytes of an address there are.
    var high: UInt64 = 0
    var firstGroup: Int32 = -1
    /// Descriptors that need only the key.
    var firstDescriptor: Int32 = -1
    /// Descriptors that could wait here; used while compiling.
    var candidates: Int32 = 0
    var kind = Kind.free
  }

  /// The values compared under one mask. Masks are kept as 64-bit words, those of zeros left out.
  struct Group: BitwiseCopyable {
    var next: Int32 = -1
    var firstWord: Int32 = 0
    var wordCount: Int32 = 0
    /// Payloads shorter than this never match.
    var byteCount: Int32 = 0
    /// The first mask word and its offset; the table of words has them too.
    var maskOffset: Int32 = 0
    var mask: UInt64 = 0
    /// One bit for the first word of each value: a word without a bit belongs to no value.
    private var filter: UInt64 = 0

    init(firstWord: Int32 = 0, byteCount: Int32 = 0) {
      self.firstWord = firstWord
      self.byteCount = byteCount
    }

    @inline(__always)
    func mayHold(_ word: UInt64, _ multiplier: UInt64) -> Bool {
      filter &>> (word &* multiplier &>> 58) & 1 != 0
    }

    mutating func expect(_ word: UInt64, _ multiplier: UInt64) { filter |= 1 &<< (word &* multiplier &>> 58) }
  }

  struct Entry: BitwiseCopyable {
    var group: Int32 = -1
    var firstWord: Int32 = 0
    var firstDescriptor: Int32 = -1
    var candidates: Int32 = 0
  }

  public init(_ size: Size, hashKey: HashKey = .replay, in arena: inout Arena) {
    multiplier = hashKey.multiplier
    let clauses = 2 * size.descriptors
    descriptors = arena.table(of: Descriptor(), count: size.descriptors)
    bytes = arena.table(of: 0, count: size.bytes)
    keys = arena.table(of: Key(), count: Self.slotCount(for: clauses))
    groups = arena.table(of: Group(), count: clauses)
    entries = arena.table(of: Entry(), count: clauses)
    // Every clause stores at most its mask (offset and word) and its value, rounded up to words.
    words = arena.table(of: 0, count: 3 * (size.bytes / 8 + clauses))
    entrySlots = arena.table(of: -1, count: Self.slotCount(for: clauses))
    stamps = arena.table(of: 0, count: size.items)
  }

  /// A power of two that leaves three quarters of the slots free, so that most absent keys cost one probe.
  private static func slotCount(for count: Int) -> Int {
    var slots = 4
    while slots < 4 * count { slots *= 2 }
    return slots
  }

  /// Copies bytes into the matcher, for the clauses of a descriptor that is added next.
  public mutating func store(_ source: RawSpan) -> StoredBytes {
    bytes.write(source, at: used.bytes)
    defer { used.bytes += source.byteCount }
    return StoredBytes(offset: Int32(used.bytes), byteCount: Int32(source.byteCount))
  }

  /// Adds a descriptor of `item`. Descriptors are found only after ``compile()``.
  public mutating func add(_ clauses: DescriptorClauses, item: Int32) {
    precondition(
      clauses.hasKey || clauses.name.byteCount > 0 || clauses.addressPrefix != nil,
      "a descriptor needs a clause")
    precondition(clauses.nameMask.byteCount == 0 || clauses.nameMask.byteCount == clauses.name.byteCount)
    precondition(clauses.manufacturerBlob.byteCount == clauses.manufacturerMask.byteCount)
    precondition(clauses.serviceBlob.byteCount == clauses.serviceMask.byteCount)
    precondition(item >= 0 && item < stamps.count)
    descriptors[descriptorCount] = Descriptor(clauses: clauses, item: item)
    descriptorCount += 1
    if clauses.addressPrefix != nil { addressByteCounts |= 1 }
  }

  /// More bits than an address has.
  static var noAddress: UInt64 { .max }

  /// Whether the advertiser's address must be set before each evaluation.
  var asksForAddress: Bool { addressByteCounts != 0 }

  /// Sets the address of the advertiser that is evaluated next. One that changes says nothing about the device.
  mutating func setAddress(_ address: DeviceAddress) {
    addressBits = address.lifetime == .durable ? address.bits : Self.noAddress
  }

  /// Lets descriptors wait under prefixes of this length.
  mutating func waitUnderAddresses(byteCount: UInt8) { addressByteCounts |= 1 << byteCount }

  @_lifetime(borrow self)
  func span(_ stored: StoredBytes) -> RawSpan {
    bytes.span(at: Int(stored.offset), count: Int(stored.byteCount))
  }
}

extension Matcher.Key {
  @inline(__always)
  static func company(_ identifier: UInt16) -> Matcher.Key {
    Matcher.Key(low: UInt64(identifier), kind: .company)
  }

  @inline(__always)
  static func service(short: UInt32) -> Matcher.Key { Matcher.Key(low: UInt64(short), kind: .service) }

  static func service(_ uuid: BluetoothUUID) -> Matcher.Key {
    if let short = uuid.short { return service(short: short) }
    return Matcher.Key(low: uuid.low, high: uuid.high, kind: .longService)
  }

  static var name: Matcher.Key { Matcher.Key(kind: .name) }

  static func address(_ prefix: AddressPrefix) -> Matcher.Key {
    Matcher.Key(low: prefix.bits, high: UInt64(prefix.byteCount), kind: .address)
  }

  @inline(__always)
  func names(_ other: Matcher.Key) -> Bool {
    low == other.low && high == other.high && kind == other.kind
  }

  @inline(__always)
  func hash(_ multiplier: UInt64) -> UInt64 { (low ^ high &* multiplier) &* multiplier }
}

/// A secret of the run that every hash over data from the air depends on, so that no sender can choose data that make
/// the tables slow.
public struct HashKey: Equatable, Sendable, BitwiseCopyable {
  /// Odd, so that no information is lost in a product.
  let multiplier: UInt64

  /// From 64 random bits.
  public init(random bits: UInt64) { multiplier = bits | 1 }

  /// The key of replays, which give the same result each time.
  public static var replay: Self { Self(random: 0xD6E8_FEB8_6659_FD93) }
}
