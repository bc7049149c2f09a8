// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime

/// By which names browsers reach the page.
struct PageLinks {
  /// What requests may name as their host.
  let hosts: Set<String>
  /// The names and addresses of the certificate.
  let names: [String]
  /// The beginning of a link.
  let base: String

  init(_ options: Options) {
    let host = (Host.name ?? "gateway").lowercased()
    var hosts: Set<String> = ["localhost"]
    if options.port > 0 {
      hosts.formUnion(["localhost", "127.0.0.1", "[::1]"].map { "\($0):\(options.port)" })
    }
    for place in options.places {
      hosts.formUnion(["\(host):\(place.port)", "\(host).local:\(place.port)", "localhost:\(place.port)"])
      hosts.insert(place.isWildcard ? "*:\(place.port)" : place.host)
    }
    hosts.formUnion(options.hosts)
    self.hosts = hosts
    let given = options.hosts.map { String($0.prefix { $0 != ":" }) }
    names =
      given + [host, "\(host).local", "localhost"] + options.places.filter { !$0.isWildcard }.map(\.address)
    if let name = options.hosts.first {
      base = "https://\(name)/"
    } else if let place = options.places.first {
      base = "https://\(place.isWildcard ? "\(host).local:\(place.port)" : place.host)/"
    } else {
      base = options.port > 0 ? "http://127.0.0.1:\(options.port)/" : "http://localhost/"
    }
  }
}
