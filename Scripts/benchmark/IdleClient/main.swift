// SPDX-License-Identifier: GPL-3.0-or-later

// idle-client: an app that activates its session, prints a line for each event, and otherwise does nothing.
// Scripts/benchmark/client.py measures what that takes.

import AccessorySetupKit

let session = ASAccessorySession()
session.activate(on: .main) { event in
  FileHandle.standardOutput.write(Data("\(event.eventType.rawValue) \(session.accessories.count)\n".utf8))
}
dispatchMain()
