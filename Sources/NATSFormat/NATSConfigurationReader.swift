// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import BrokerFormat
import Manifest
public import ManifestFormat
public import NATSBridge

/// Reads the file nats.toml.
public enum NATSConfigurationReader {
  static let schema: Int64 = 1

  /// Pure: any bytes give a configuration or diagnostics.
  public static func read(text: [UInt8], fileName: String) -> Reading<NATSConfiguration> {
    DocumentReader.read(text: text, fileName: fileName, schema: schema) { root, log in
      (NATSConfiguration(TableReader<NATSKey>(root, at: ManifestKeyPath(), log: log)), [])
    }
  }
}

extension NATSConfiguration {
  fileprivate init(_ table: TableReader<NATSKey>) {
    self.init()
    table.require(.schema)
    _ = table.integer(.schema, in: NATSConfigurationReader.schema...NATSConfigurationReader.schema)
    server.read(table.table(.server))
    stream.read(table.table(.stream))
    readSubjects(table.table(.subjects))
    readPublishing(table.table(.publish))
    pauses.readApps(table, .app)
  }

  private mutating func readSubjects(_ table: TableReader<SubjectsKey>) {
    name = table.value(.gateway, .token) { $0.isToken ? $0 : nil } ?? name
    prefix =
      table.value(.prefix, .subject) { text in
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { String($0).isToken }
          && !text.hasPrefix("$") ? text : nil
      } ?? prefix
  }

  private mutating func readPublishing(_ table: TableReader<PublishKey>) {
    showsAddresses = table.boolean(.addresses) ?? showsAddresses
    publishesReadings = table.boolean(.readings) ?? publishesReadings
    publishesStatus = table.boolean(.status) ?? publishesStatus
    pauses.readInterval(table, .interval)
  }
}

extension NATSConfiguration.Server {
  fileprivate mutating func read(_ table: TableReader<ServerKey>) {
    if table.node(.urls) != nil {
      urls = table.texts(.urls).map { url in
        if !url.text.isServerURL {
          table.log.report(.malformed(found: url.text, expected: .url), at: url.path)
        }
        return url.text
      }
      if case .array(let found)? = table.node(.urls)?.value, found.isEmpty {
        table.report(.empty, at: .urls)
      }
    }
    user = table.text(.user)
    publicKey = table.value(.publicKey, .publicKey) { $0.isPublicKey ? $0 : nil }
    if user != nil, publicKey != nil { table.report(.besideUser, at: .publicKey) }
    if table.node(.tls) != nil { certificates = BrokerCertificates(table.table(.tls)) }
  }
}

extension NATSConfiguration.Stream {
  fileprivate mutating func read(_ table: TableReader<StreamKey>) {
    name = table.value(.name, .token) { $0.isToken ? $0 : nil } ?? name
    domain = table.value(.domain, .token) { $0.isToken ? $0 : nil }
    isCreated = table.boolean(.create) ?? isCreated
  }
}

extension FormatDiagnostic {
  fileprivate static let besideUser = rule("a user has a password, and no key of its own; remove one of them")
}

extension FormatDiagnostic.Expectation {
  fileprivate static let token = form(
    "a name of 1 to 128 ASCII characters without ., *, >, /, \\ and blanks, as \"kitchen\"")
  fileprivate static let subject = form("names with points between them, as \"site.gateways\"")
  fileprivate static let url = form(
    "a URL without a password, as \"nats://nats.example.org:4222\" or \"tls://…\"")
  fileprivate static let publicKey = form(
    "the public key of a user, copied without a mistake: U and 55 letters or digits")
}

extension String {
  /// A part of a subject, or the name of a stream (documentation of NATS, "Subject-Based Messaging").
  fileprivate var isToken: Bool {
    !isEmpty && utf8.count <= 128 && first != "$"
      && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !".*>/\\".utf8.contains($0) }
  }

  fileprivate var isServerURL: Bool {
    let schemes = ["nats://", "tls://"]
    guard let scheme = schemes.first(where: { hasPrefix($0) }) else { return false }
    let rest = dropFirst(scheme.count)
    return !rest.isEmpty && rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"@/,".utf8.contains($0) }
      && rest.hasPossiblePort
  }

  /// Base32 of a kind, 32 bytes and a checksum of two, the low one first (documentation of NATS, "NKeys").
  fileprivate var isPublicKey: Bool {
    var (bytes, bits, bitCount): ([UInt8], UInt32, Int) = ([], 0, 0)
    for letter in utf8 {
      let digit: UInt8
      switch letter {
      case 0x41...0x5A: digit = letter - 0x41
      case 0x32...0x37: digit = letter - 0x32 + 26
      default: return false
      }
      (bits, bitCount) = (bits << 5 | UInt32(digit), bitCount + 5)
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
    }
    guard first == "U", bytes.count == 35 else { return false }
    return UInt16(bytes[33]) | UInt16(bytes[34]) << 8 == Self.checksum(bytes.prefix(33))
  }

  /// CRC-16/XMODEM.
  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0) { value, byte in
      (0..<8).reduce(value ^ UInt16(byte) << 8) { value, _ in
        value << 1 ^ (value & 0x8000 == 0 ? 0 : 0x1021)
      }
    }
  }
}

extension Substring {
  /// Whether what follows the last colon, if it belongs to no address, can be a port.
  fileprivate var hasPossiblePort: Bool {
    guard let colon = lastIndex(of: ":"), !self[colon...].contains("]") else { return true }
    return UInt16(self[index(after: colon)...]).map { $0 > 0 } ?? false
  }
}
