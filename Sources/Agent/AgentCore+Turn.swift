// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
import Manifest
import Setup
import Varlink

extension AgentCore {
  /// Lets time pass, takes calls, and sends what there is to send. `radioLead` is how many microseconds the radio's
  /// clock runs ahead: 0 but for a recording that is played as fast as it can be read.
  public func turn(at time: Instant, radioLead lead: Int64 = 0) {
    now = max(now, time)
    radioLead = lead
    tally.turns &+= 1
    isBusy = false
    dataPath.pipeline.advance(to: radioTime)
    advanceRadio()
    advanceSetup()
    feeds.readSightings(dataPath, setupCore.grants)
    let activity = setupCore.activity
    for client in clients.connected { serve(client) }
    followSetup()
    // A client that was served before something happened is served again.
    if setupCore.activity != activity { isBusy = true }
  }

  /// Counts a call that finds as many of its kind going on as there may be.
  func refuseAsBusy(limit: Int) -> GatewayError {
    tally.busy &+= 1
    return .busy(limit: limit)
  }
}
