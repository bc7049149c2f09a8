// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Explanation
import Interfaces
import ToolText

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure a device at 1 m, for the RSSI offset of the board's profile.",
    usage: "accessoryctl calibrate [<device>] [--power-at-1m <dBm>] [options]",
    discussion: """
      Put the device 1 m from the gateway's antenna, with nothing between them, and do not \
      move it. A device that sends at 0 dBm should read -59 dBm there. For another device, \
      give its maker's figure (measured power) with --power-at-1m. Prints the line for the \
      board profile; put it above [scan], in place of the existing one. Without a \
      device, measures the strongest one, if it is clearly the strongest. \
      Exit status: 0 the offset is printed, 1 the readings differ too much or are too few.

      Examples:
        accessoryctl calibrate
        accessoryctl calibrate AA:BB:CC:DD:EE:FF --power-at-1m -55 --samples 300
      """)

  @Argument(
    help: "The device's address, or its own name. (default: the strongest)",
    completion: Completions.devices)
  var device: NamedDevice?

  @Option(help: ArgumentHelp("Number of readings to take (20 to 1000).", valueName: "n"))
  var samples = 100

  @Option(help: ArgumentHelp("Seconds to wait for readings (10 to 3600).", valueName: "seconds"))
  var within = 120

  @Option(
    name: .customLong("power-at-1m"), parsing: .unconditional,
    help: ArgumentHelp("The level that the device should read at 1 m (-100 to 0).", valueName: "dBm"))
  var power = Calibration.usualPower

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object (Config/schema/calibrate.schema.json).")
  var json = false

  func validate() throws {
    guard (20...1000).contains(samples) else { throw ValidationError("--samples takes 20 to 1000") }
    guard (10...3600).contains(within) else { throw ValidationError("--within takes 10 to 3600 seconds") }
    guard (-100...0).contains(power) else { throw ValidationError("--power-at-1m takes -100 to 0 dBm") }
  }

  func run() throws {
    let device = try device?.address(askedOf: gateway)
    let calibration = Calibration(readingsMax: samples, deviceBits: device?.bits)
    var measurement = try Measurement.connect(calibration, to: gateway.path)
    let readings = try measurement.run(seconds: within, wanted: device?.text)
    let line: CalibrationLine
    do throws(Calibration.OffsetError) {
      line = try CalibrationLine(readings, power: power)
    } catch {
      throw ToolError.sentence(error.sentence(readings), .no)
    }
    var printer = Printer()
    if json { try printer.line(line) } else { try printer.verbatim(line.toml) }
    try printer.flush()
  }
}

extension Calibration.OffsetError {
  fileprivate func sentence(_ readings: Calibration.Readings) -> String {
    let address = readings.address.text ?? "the device"
    return switch self {
    case .spread(let spread):
      "half of the readings of \(address) differ by more than \(spread - 1) dB, and \(Calibration.spreadMax) are "
        + "allowed; keep everything still, turn the device's broad side to the antenna, and measure again"
    case .outOfRange(let offset):
      "\(address) would need an offset of \(offset) dB, and a profile takes -40 to 40; hold it at 1 m, and give what it "
        + "should read there with --power-at-1m"
    }
  }
}
