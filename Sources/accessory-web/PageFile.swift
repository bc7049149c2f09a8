// SPDX-License-Identifier: GPL-3.0-or-later

import WebPage

/// The files of the page, which lie in the program.
enum PageFile {
  /// `origin` is that of the pages in whose frame the page may stand.
  static func response(for route: Route, framedBy origin: String?) -> WebResponse {
    switch route {
    case .style: WebResponse(.good, type: "text/css; charset=utf-8", Array(PageText.style.utf8))
    case .script: WebResponse(.good, type: "text/javascript; charset=utf-8", Array(PageText.app.utf8))
    case .screens: WebResponse(.good, type: "text/javascript; charset=utf-8", Array(PageText.screens.utf8))
    default:
      WebResponse(.good, type: "text/html; charset=utf-8", Array(PageText.index.utf8), framedBy: origin)
    }
  }
}
