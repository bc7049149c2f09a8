// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `List`: the accessories of the session's app, in the order they were added.
///
/// Accessories that are hidden from the app are left out.
enum ListAppAccessoriesMethod: SessionMethod {
  static let name = SessionMethodName.list

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    .stream(AppAccessoryStream(app: try call.session().app))
  }
}

/// One accessory a reply. The position is a number of the registry, so that changes between replies repeat no accessory.
private struct AppAccessoryStream: ReplyStream {
  let app: String
  /// The number in the registry of the last accessory that was sent.
  private var last: Int64 = 0

  init(app: String) { self.app = app }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard let next = agent.setupCore.accessory(ofApp: app, after: last) else { return .end(Message.reply()) }
    last = next.number
    return .reply(Message.element("accessory", AppAccessoryLine(next.accessory)))
  }
}
