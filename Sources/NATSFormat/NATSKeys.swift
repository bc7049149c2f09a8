// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFormat
import Manifest

/// The top level of nats.toml.
enum NATSKey: String, ManifestKey {
  case schema, server, stream, subjects, publish, app

  static var neighbours: [String] {
    ServerKey.allCases.map { "server.\($0.rawValue)" } + StreamKey.allCases.map { "stream.\($0.rawValue)" }
      + SubjectsKey.allCases.map { "subjects.\($0.rawValue)" }
      + PublishKey.allCases.map { "publish.\($0.rawValue)" }
  }
}

/// `[server]`
enum ServerKey: String, ManifestKey {
  case urls, user, tls
  case publicKey = "nkey"

  static var neighbours: [String] { TLSKey.neighbours }
}

/// `[stream]`
enum StreamKey: String, ManifestKey {
  case name, domain, create
}

/// `[subjects]`
enum SubjectsKey: String, ManifestKey {
  case gateway, prefix
}

/// `[publish]`
enum PublishKey: String, ManifestKey {
  case addresses, readings, status, interval
}
