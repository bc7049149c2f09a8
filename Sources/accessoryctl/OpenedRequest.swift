// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Varlink

/// A request on an app's behalf: it lives as long as its connection.
final class OpenedRequest {
  let app: String
  /// What the agent calls it.
  let request: String
  private(set) var accessories: [PickedAccessory] = []
  private(set) var isOver = false
  private var connection: GatewayConnection

  init(path: String, app: String, _ options: PickOptions) throws(GatewayProblem) {
    var connection = try GatewayConnection(path: path)
    try connection.begin(PickerMethod.open) { options.write(app: app, to: &$0) }
    guard let reply = try connection.answer(), case .request(let request) = try OpenReply(reply) else {
      throw .stream(.notAReply)
    }
    self.app = app
    self.request = request
    self.connection = connection
  }

  var entry: Polling.Entry { connection.entry }

  /// Goes on with what the connection is ready for.
  func advance(_ readiness: Readiness) throws(GatewayProblem) {
    if !readiness.isEmpty { try connection.exchange(readiness) }
    while !isOver, let reply = try connection.taken() {
      switch try OpenReply(reply) {
      case .request: continue
      case .accessory(let identifier, let displayName):
        accessories.append(PickedAccessory(app: app, identifier: identifier, displayName: displayName))
      case .end: isOver = true
      }
      if !reply.continues { isOver = true }
    }
  }

  /// The accessory has another name now.
  func rename(_ index: Int, to name: String) {
    let accessory = accessories[index]
    accessories[index] = PickedAccessory(app: app, identifier: accessory.identifier, displayName: name)
  }
}
