// SPDX-License-Identifier: GPL-3.0-or-later

import ToolText
import Varlink

/// A reply of `Open` of `io.accessoryd.Picker`.
enum OpenReply: Equatable {
  case request(String)
  case accessory(identifier: String, displayName: String)
  /// The last.
  case end

  init(_ reply: ReceivedReply) throws(GatewayProblem) {
    let line = LineReader(reply.parameters)
    do throws(LineProblem) {
      if let request = try line.plainTextIfAny("request") {
        self = .request(request)
      } else if let accessory = try line.plainTextIfAny("accessory") {
        self = .accessory(
          identifier: accessory, displayName: try line.textIfAny("displayName") ?? "")
      } else {
        self = .end
      }
    } catch {
      throw .line(error)
    }
  }
}
