// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

/// The table `tls` of a broker or server.
package enum TLSKey: String, ManifestKey {
  case authorities = "cafile"
  case certificate = "certfile"
  case key = "keyfile"

  /// The keys as another table may name them by mistake.
  package static var neighbours: [String] { allCases.map { "tls.\($0.rawValue)" } }
}

/// `[app.NAME]`
package enum AppKey: String, ManifestKey {
  case interval
}
