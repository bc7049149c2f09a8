// SPDX-License-Identifier: GPL-3.0-or-later

import CCrashDisk
import Registry
import RegistryStore
import RegistrySupport
import Setup
import Testing

@Suite("The simulated disk")
struct CanaryTests {
  @Test("On a disk that ignores syncs an acknowledged change is lost, so these tests can fail")
  func canary() throws {
    let trial = try Trial(Scenario.all[1], .closed)
    let keeper = trial.disk.keeper()
    _ = keeper.execute(.open)
    trial.disk.ignoreSyncs()
    #expect(keeper.execute(.commit(trial.writes)) == .done)
    trial.disk.powerOff()
    _ = keeper.execute(.close)
    trial.disk.restart(POWER_LOSES_ALL)
    #expect(Trial.opened(trial.disk) == .opened(trial.before))
  }
}
