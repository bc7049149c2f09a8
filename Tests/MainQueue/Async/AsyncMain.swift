// SPDX-License-Identifier: GPL-3.0-or-later

import MainQueueApp

/// async-main: an app whose main function suspends for good.
@main enum AsyncMain {
  static func main() async {
    let app = MainQueueApp()
    app.start()
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }
}
