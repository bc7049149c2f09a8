// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Makes a list of networks of the events of a scan by wireless extensions, one after the other as the kernel delivers
/// them: each network begins with its address.
///
/// Times are relative to the moment of the reading, which is 0.
public struct ExtensionsReading: Sendable {
  /// The flag of SIOCGIWENCODE for a network without the privacy bit.
  private static let encodingDisabled: UInt16 = 0x8000
  /// What the kernel writes in front of the age of a network (net/wireless/scan.c).
  private static let agePrefix = Array(" Last beacon: ".utf8)
  /// What it writes behind.
  private static let ageSuffix = Array("ms ago".utf8)

  private struct Network {
    let bssid: BSSID
    var name: NetworkName?
    var isNameTooLong = false
    var frequency: UInt32?
    var signal: Int8?
    var isPrivate = false
    var ageMilliseconds: Int64 = 0
    var elements = InformationElements()
  }

  private var list = NetworkList()
  private var network: Network?

  public init() {}

  /// SIOCGIWAP: six bytes.
  public mutating func receive(address: RawSpan) {
    endNetwork()
    guard let bssid = BSSID(address) else {
      list.malformed &+= 1
      return
    }
    network = Network(bssid: bssid)
  }

  /// SIOCGIWESSID: the name with its length.
  public mutating func receive(name: RawSpan) {
    network?.name = NetworkName(name)
    network?.isNameTooLong = name.byteCount > NetworkName.byteCountMax
  }

  /// SIOCGIWFREQ: a frequency in Hz as mantissa and exponent of ten, or the number of a channel, which is no frequency.
  public mutating func receive(mantissa: Int32, exponent: Int16) {
    guard mantissa > 0, (0...9).contains(exponent) else { return }
    let hertz = (0..<exponent).reduce(Int64(mantissa)) { product, _ in product * 10 }
    guard hertz >= 1_000_000, let megahertz = UInt32(exactly: hertz / 1_000_000) else { return }
    network?.frequency = megahertz
  }

  /// IWEVQUAL: the level in dBm.
  public mutating func receive(signal: Int8) { network?.signal = signal }

  /// SIOCGIWENCODE: its flags.
  public mutating func receive(encoding flags: UInt16) {
    network?.isPrivate = flags & Self.encodingDisabled == 0
  }

  /// IWEVGENIE: a piece of the network's information elements.
  public mutating func receive(elements: RawSpan) { network?.elements.append(elements) }

  /// IWEVCUSTOM: a text; one kind of text says the age.
  public mutating func receive(text: RawSpan) {
    var digits: Int64 = 0
    guard text.byteCount > Self.agePrefix.count + Self.ageSuffix.count else { return }
    for (index, byte) in Self.agePrefix.enumerated() where text.uint8(at: index) != byte { return }
    for index in Self.agePrefix.count..<text.byteCount {
      let byte = text.uint8(at: index)
      guard (0x30...0x39).contains(byte) else {
        guard index > Self.agePrefix.count, byte == Self.ageSuffix[0] else { return }
        network?.ageMilliseconds = digits
        return
      }
      digits = digits * 10 + Int64(byte - 0x30)
      // The kernel forgets a network after 30 s; a number that is out of all bounds is none.
      guard digits <= 1_000_000_000 else { return }
    }
  }

  public consuming func finish() -> NetworkList {
    endNetwork()
    return list
  }

  /// Counts something that could not be read.
  public mutating func countMalformed() { list.malformed &+= 1 }

  private mutating func endNetwork() {
    guard let network = network.take() else { return }
    // Some kernels leave out the event of a name that they find too long; the elements have it.
    if network.isNameTooLong || network.name == nil && network.elements.isNameTooLong {
      list.namesRefused &+= 1
      return
    }
    guard let name = network.name ?? network.elements.name ?? NetworkName([UInt8]()) else { return }
    list.append(
      WirelessNetwork(
        bssid: network.bssid, name: name, frequencyMegahertz: network.frequency, signal: network.signal,
        security: network.elements.security(isPrivate: network.isPrivate),
        lastSeen: Instant(microseconds: -network.ageMilliseconds * 1000)))
  }
}
