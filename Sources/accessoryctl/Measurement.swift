// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import ToolText

/// Readings of one device on their way from the agent's stream of packets into a calibration.
struct Measurement: ~Copyable {
  /// So long everybody is listened to before the strongest is chosen.
  private static let choiceSeconds = 5

  private let path: String
  private let interruption: Interruption
  private var connection: GatewayConnection
  private var calibration: Calibration

  /// Asks the agent for its packets.
  static func begin(_ calibration: Calibration, at path: String) throws(Failure) -> Measurement {
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

  /// As many readings as the calibration takes, or the sentence that says why not. `wanted` is the device's address.
  mutating func run(seconds: Int, wanted: String?) throws(Failure) -> Calibration.Readings {
    let start: MonotonicInstant
    do throws(SystemError) { start = try .now() } catch { throw .clock(error) }
    if wanted == nil {
      try listen(until: start.advanced(seconds: Self.choiceSeconds)) { _ in false }
      try choose()
    }
    let name = calibration.readings?.address.text ?? wanted ?? "the device"
    StandardError.say("measuring \(name); hold it 1 m from the antenna, and keep still")
    try listen(until: start.advanced(seconds: seconds)) { $0.isComplete }
    guard let readings = calibration.readings, calibration.isComplete else {
      throw .sentence(shortage(name, seconds), .no)
    }
    return readings
  }

  /// Until the deadline, or until `isDone`.
  private mutating func listen(
    until deadline: MonotonicInstant, _ isDone: (Calibration) -> Bool
  ) throws(Failure) {
    do throws(GatewayProblem) {
      while !isDone(calibration) {
        switch try connection.next(until: deadline, interruption) {
        case .reply(let reply): try take(CaptureReply(captured: reply))
        case .deadline: return
        case .interruption, .noReader: throw .ended(hasAnswered: true)
        }
      }
    } catch {
      throw error.failure(at: path)
    }
  }

  private mutating func take(_ part: CaptureReply) {
    switch part {
    // What was missed are readings that the deadline gives time to make up for.
    case .greeting, .missed: break
    case .packets(let packets):
      for packet in packets where packet.isReceived { calibration.take(packet.bytes) }
    }
  }

  private mutating func choose() throws(Failure) {
    do throws(Calibration.ChoiceProblem) { try calibration.chooseStrongest() } catch {
      throw .sentence(error.sentence, .no)
    }
  }

  private func shortage(_ name: String, _ seconds: Int) -> String {
    let readings = calibration.readings
    let (count, invalid) = (readings?.levels.count ?? 0, readings?.invalidCount ?? 0)
    guard count + invalid > 0 else {
      return
        "\(name) was not heard within \(seconds) s; accessoryctl sightings --all lists what is, and accessoryctl "
        + "status how the radio is"
    }
    let left = invalid == 0 ? "" : " and \(invalid) without a level"
    return
      "only \(count) of \(calibration.readingsMax) readings\(left) came within \(seconds) s; let the device advertise "
      + "more often, or wait longer (--within)"
  }
}

extension Calibration.ChoiceProblem {
  fileprivate var sentence: String {
    switch self {
    case .nothingHeard:
      "no device was heard often enough to be chosen; name it, or look how the radio is (accessoryctl status)"
    case .severalStrong(let first, let second):
      "\(first.named) and \(second.named) are both near; name the one that is at 1 m, or take the other away"
    }
  }
}

extension Calibration.Readings {
  fileprivate var named: String { "\(address.text ?? "a device") (\(median ?? 0) dBm)" }
}
