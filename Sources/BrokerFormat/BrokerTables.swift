// SPDX-License-Identifier: GPL-3.0-or-later

package import BrokerFeed
package import Manifest
package import ManifestFormat

extension BrokerCertificates {
  package init(_ table: TableReader<TLSKey>) {
    self.init()
    table.require(.authorities)
    authorities = table.value(.authorities, .path) { $0.hasPrefix("/") ? $0 : nil } ?? ""
    certificate = table.value(.certificate, .path) { $0.hasPrefix("/") ? $0 : nil }
    key = table.value(.key, .path) { $0.hasPrefix("/") ? $0 : nil }
    if table.node(.certificate) == nil, table.node(.key) != nil { table.report(.keyAlone, at: .key) }
    if table.node(.certificate) != nil, table.node(.key) == nil {
      table.report(.certificateAlone, at: .certificate)
    }
  }
}

extension ReadingPauses {
  package mutating func readInterval<Key: ManifestKey>(_ table: TableReader<Key>, _ key: Key) {
    table.read(key, into: &interval, in: 0...86_400)
  }

  /// Reads the tables `[app.NAME]`.
  package mutating func readApps<Key: ManifestKey>(_ table: TableReader<Key>, _ key: Key) {
    for (app, table) in table.node(key) == nil ? [] : table.namedTables(key, of: AppKey.self) {
      intervals[app] = table.integer(.interval, in: 0...86_400)
    }
  }
}

extension FormatDiagnostic {
  fileprivate static let keyAlone = rule("the key belongs to a certificate; add certfile, or remove this")
  fileprivate static let certificateAlone = rule("the certificate needs its key; add keyfile, or remove this")
}

extension FormatDiagnostic.Expectation {
  package static let host = form(
    "a name or an address, as \"broker.example.org\"; the port is a key of its own")
  package static let path = form("a path from the root, beginning with /")
}

extension String {
  package var isHost: Bool {
    allSatisfy { $0.isASCII && !$0.isWhitespace && $0 != "/" } && !hasPortOrScheme
  }

  /// One colon belongs to a port; more of them to an address of IPv6.
  private var hasPortOrScheme: Bool { utf8.count { $0 == UInt8(ascii: ":") } == 1 }
}
