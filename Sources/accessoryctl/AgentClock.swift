// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import ToolText

/// Converts the agent's times to the wall clock of this machine.
///
/// The boot clock links the two, so times stay right when the wall clock is set later (a Pi sets it from the network).
struct AgentClock {
  /// The boot clock when the agent's was zero.
  private let start: Int64

  /// Ties the two clocks together.
  ///
  /// `time` is what the agent has just given as its time.
  init(saying time: Seconds) throws(ToolError) { start = try Self.boot() &- time.microseconds }

  func wallTime(of time: Seconds) throws(ToolError) -> WallTime {
    let age = try Self.boot() &- (start &+ time.microseconds)
    do throws(SystemError) {
      return WallTime(microseconds: try WallTime.now().microseconds &- age)
    } catch {
      throw .clock(error)
    }
  }

  /// The agent's time that many seconds before `now`.
  func time(before seconds: Int64, at now: WallTime) throws(ToolError) -> Seconds {
    Seconds(microseconds: try Self.boot() &- start &- seconds * 1_000_000 &- now.microseconds % 1_000_000)
  }

  private static func boot() throws(ToolError) -> Int64 {
    do throws(SystemError) { return try BootTime.now() } catch { throw .clock(error) }
  }
}
