// SPDX-License-Identifier: GPL-3.0-or-later

import ToolText
import Varlink

extension CaptureReply {
  /// What a reply to `Capture` says.
  init(captured reply: ReceivedReply) throws(GatewayProblem) {
    do throws(LineProblem) { self = try CaptureReply(reading: LineReader(reply.parameters)) } catch {
      throw .line(error)
    }
  }
}
