// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import Interfaces
import LinuxSystem
import ToolText

/// Collects the readings of one device from the agent's stream of packets.
struct Measurement: ~Copyable {
  /// How long all devices are measured before the strongest is chosen.
  private static let choiceSeconds = 5

  private let path: String
  /// Whether the strongest device is measured, whichever that is.
  private var isChoosing = false
  private let interruption: Interruption
  private var connection: GatewayConnection
  private var calibration: Calibration
  private var progress = ProgressLine()

  /// Asks the agent at `path` for its packets.
  static func connect(_ calibration: Calibration, to path: String) throws(ToolError) -> Measurement {
    let interruption = try Interruption()
    return Measurement(calibration, path, interruption, try Recording.connection(path))
  }

  private init(
    _ calibration: Calibration, _ path: String, _ interruption: Interruption,
    _ connection: consuming GatewayConnection
  ) {
    self.calibration = calibration
    self.path = path
    self.interruption = interruption
    self.connection = connection
  }

  /// Returns as many readings as the calibration takes, or throws the reason. `wanted` is the device's address.
  mutating func run(seconds: Int, wanted: String?) throws(ToolError) -> Calibration.Readings {
    let start: MonotonicInstant
    do throws(SystemError) { start = try .now() } catch { throw .clock(error) }
    if wanted == nil {
      isChoosing = true
      try listen(until: start.advanced(seconds: Self.choiceSeconds)) { _ in false }
      try chooseDevice()
      isChoosing = false
    }
    let name = calibration.readings?.address.text ?? wanted ?? "the device"
    StandardError.say("measuring \(name); hold it 1 m from the antenna, and keep still")
    try listen(until: start.advanced(seconds: seconds)) { $0.isComplete }
    guard let readings = calibration.readings, calibration.isComplete else {
      throw .sentence(shortage(name, seconds), .no)
    }
    return readings
  }

  /// Adds readings until the deadline, or until `isDone`.
  private mutating func listen(
    until deadline: MonotonicInstant, _ isDone: (Calibration) -> Bool
  ) throws(ToolError) {
    defer { progress.clear() }
    var isInterrupted = false
    do throws(AgentCallError) {
      var update = try showProgress(until: deadline)
      listening: while !isDone(calibration) {
        switch try connection.nextArrival(until: min(deadline, update ?? deadline), interruption) {
        case .reply(let reply):
          try addReadings(of: CaptureReply(captured: reply))
          if try hasPassed(deadline) { return }
        case .deadline where update.map { $0 < deadline } ?? false: update = try showProgress(until: deadline)
        case .deadline: return
        case .interruption, .noReader:
          isInterrupted = true
          break listening
        }
      }
    } catch {
      throw error.toolError(at: path)
    }
    if isInterrupted { throw .interrupted(try interruption.nextSignal() ?? .hangUp) }
  }

  /// Whether the time is over, however fast replies come.
  private func hasPassed(_ deadline: MonotonicInstant) throws(AgentCallError) -> Bool {
    do throws(SystemError) { return try deadline <= .now() } catch { throw .system(error) }
  }

  /// Shows how many readings came, and returns when to do so next; nil without a terminal.
  private mutating func showProgress(until deadline: MonotonicInstant) throws(AgentCallError)
    -> MonotonicInstant?
  {
    let now: MonotonicInstant
    do throws(SystemError) { now = try .now() } catch { throw .system(error) }
    let readings = calibration.readings
    let count = readings.map { "\($0.levels.count) of \(calibration.readingsMax) readings" }
    let level = readings?.median.map { "\($0) dBm" }
    let nothing = isChoosing ? "looking for the strongest device" : "nothing received from the device yet"
    progress.show([count ?? nothing, level], left: deadline, at: now)
    return progress.next(after: now)
  }

  private mutating func addReadings(of part: CaptureReply) {
    // The deadline leaves time to make up for missed readings.
    for packet in part.packets ?? [] where packet.direction == .received {
      calibration.addPacket(packet.packet)
    }
  }

  private mutating func chooseDevice() throws(ToolError) {
    do throws(Calibration.ChoiceError) { try calibration.chooseStrongest() } catch {
      throw .sentence(error.sentence, .no)
    }
  }

  private func shortage(_ name: String, _ seconds: Int) -> String {
    let readings = calibration.readings
    let (count, invalid) = (readings?.levels.count ?? 0, readings?.invalidCount ?? 0)
    guard count + invalid > 0 else {
      return
        "\(name) was not heard within \(seconds) s; accessoryctl sightings --all lists the devices in sight, and "
        + "accessoryctl status shows the state of the radio"
    }
    let left = invalid == 0 ? "" : " and \(invalid) without a level"
    return
      "only \(count) of \(calibration.readingsMax) readings\(left) came within \(seconds) s; let the device advertise "
      + "more often, or wait longer (--within)"
  }
}

extension Calibration.ChoiceError {
  fileprivate var sentence: String {
    switch self {
    case .nothingHeard:
      "no device was heard often enough to be chosen; name one, or check the radio (accessoryctl status)"
    case .severalStrong(let first, let second):
      "\(first.named) and \(second.named) are both near; name the one that is at 1 m, or take the other away"
    }
  }
}

extension Calibration.Readings {
  fileprivate var named: String { "\(address.text ?? "a device") (\(median ?? 0) dBm)" }
}
