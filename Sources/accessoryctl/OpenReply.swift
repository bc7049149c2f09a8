// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import ToolText
import Varlink
import VarlinkClient

/// A reply of `Open` of `io.accessoryd.Operator`.
enum OpenReply: Equatable {
  case request(String)
  /// `method` is how the device was paired; nil when it was not, or had its bond before.
  case accessory(
    identifier: String, displayName: String, method: PairingMethod?, isBondAuthenticated: Bool?)
  /// The last reply.
  case end

  init(_ reply: ReceivedReply) throws(AgentCallError) {
    let line = JSONObjectReader(reply.parameters)
    do throws(JSONMemberError) {
      if let request = try line.plainTextIfPresent("request") {
        self = .request(request)
      } else if let accessory = try line.plainTextIfPresent("accessory") {
        self = .accessory(
          identifier: accessory, displayName: try line.stringIfPresent("displayName") ?? "",
          method: try line.valueIfPresent("pairing", of: PairingMethod.allCases, \.rawValue),
          isBondAuthenticated: try line.boolIfPresent("isBondAuthenticated"))
      } else {
        self = .end
      }
    } catch {
      throw .line(error)
    }
  }
}
