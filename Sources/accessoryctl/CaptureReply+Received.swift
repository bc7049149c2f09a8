// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import ToolText
import Varlink

extension CaptureReply {
  /// What a reply to `Capture` says.
  init(captured reply: ReceivedReply) throws(GatewayProblem) {
    do throws(JSONMemberError) { self = try CaptureReply(reading: JSONObjectReader(reply.parameters)) } catch
    {
      throw .line(error)
    }
  }
}
