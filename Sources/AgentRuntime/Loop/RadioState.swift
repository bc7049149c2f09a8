// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import LinuxSystem

/// The radio as the loop holds it: which is wanted, whether it is being opened, and when it is read.
struct RadioState {
  typealias Opening = Result<RadioOpening.Opened, RadioOpening.Failure>

  var wanted: RadioRequest?
  var source: (any RadioSource)?
  /// What the worker opens just now; its result counts only while it is what is wanted.
  var opening: RadioRequest?
  /// What the worker is to do, in this order, and what it does.
  var tasks: [AdapterTask] = []
  var isWorking = false
  /// The kernel's management interface, while an adapter is wanted, and its token.
  var management: MgmtSocket?
  var managementToken: UInt64?
  /// What was last noted for the case that the agent is killed.
  var remains = KernelScanState()
  /// What the kernel had dropped when it was last asked, and when that is done again.
  var drops: UInt32 = 0
  var nextDropLook = Instant(microseconds: 0)
  /// When it is tried again.
  var retry: Instant?
  var backOff = BackOff()
  /// Why it could not be opened, which is logged once for as long as it is the same.
  var lastFailure: RadioOpening.Failure?
  var schedule: DrainSchedule
  /// The source's token, and whether its descriptor is in the list of those watched.
  var token: UInt64?
  var isWatched = false
  /// It became readable in this turn.
  var isReady = false
  /// Once it was opened, or found not to be there, the agent is ready.
  var wasTried = false

  init(intervalMilliseconds: Int64) { schedule = DrainSchedule(intervalMilliseconds: intervalMilliseconds) }

  func isDue(at now: Instant, isUrgent: Bool) -> Bool {
    source != nil && schedule.isDue(at: now, isReady: isReady, due: source?.nextTime, isUrgent: isUrgent)
  }

  func deadline(isUrgent: Bool) -> Instant? {
    guard let source else { return retry }
    return schedule.deadline(due: source.nextTime, isUrgent: isUrgent)
  }
}
