// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import ToolText

/// What the wall clock here says of the agent's times.
///
/// The two are tied through the boot clock, so that a wall clock that is set later on (a Pi's, from the network) is right
/// for what comes then.
struct AgentClock {
  /// The boot clock when the agent's was zero.
  private let start: Int64

  /// The agent just said its `time`.
  init(saying time: Seconds) throws(Failure) { start = try Self.boot() &- time.microseconds }

  func wallTime(of time: Seconds) throws(Failure) -> WallTime {
    let age = try Self.boot() &- (start &+ time.microseconds)
    do throws(SystemError) {
      return WallTime(microseconds: try WallTime.now().microseconds &- age)
    } catch {
      throw .clock(error)
    }
  }

  private static func boot() throws(Failure) -> Int64 {
    do throws(SystemError) { return try BootTime.now() } catch { throw .clock(error) }
  }
}
