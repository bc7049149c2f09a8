// SPDX-License-Identifier: GPL-3.0-or-later

// plain-main dispatch|runloop: an app whose main thread serves the main queue with dispatchMain() or a run loop.

import AccessorySetupKit
import MainQueueApp

let app = MainQueueApp()
app.start()
switch CommandLine.arguments.dropFirst().first {
case "dispatch": dispatchMain()
case "runloop": RunLoop.main.run()
default: exit(64)
}
