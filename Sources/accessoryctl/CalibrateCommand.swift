// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import ToolText

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure a device at 1 m, for the RSSI offset of the board's profile.",
    usage: "accessoryctl calibrate [<device>] [--power-at-1m <dBm>] [options]",
    discussion: """
      Put the device 1 m from the gateway's antenna, with nothing between them, and leave \
      it alone. It should send at 0 dBm, and so read -59 dBm; what another one should read \
      its maker says (measured power), and --power-at-1m takes. Prints the line that \
      belongs into the profile, above [scan], in place of the one that is there. Without a \
      device the strongest in sight is measured, when no other comes near it. \
      Exit status: 0 here is the offset, 1 the readings differ too much or are too few.

      Examples:
        accessoryctl calibrate
        accessoryctl calibrate AA:BB:CC:DD:EE:FF --power-at-1m -55 --samples 300
      """)

  @Argument(help: "The device's address, as decode and sightings show it. (default: the strongest)")
  var device: DeviceArgument?

  @Option(help: ArgumentHelp("How many readings are taken, 20 to 1000.", valueName: "n"))
  var samples = 100

  @Option(help: ArgumentHelp("How long is waited for them, 10 to 3600.", valueName: "seconds"))
  var within = 120

  @Option(
    name: .customLong("power-at-1m"), parsing: .unconditional,
    help: ArgumentHelp("What the device should read at 1 m, -100 to 0.", valueName: "dBm"))
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
    let calibration = Calibration(readingsMax: samples, deviceBits: device?.bits)
    var measurement = try Measurement.begin(calibration, at: gateway.path)
    let readings = try measurement.run(seconds: within, wanted: device?.text)
    let line: CalibrationLine
    do throws(Calibration.Refusal) {
      line = try CalibrationLine(readings, power: power)
    } catch {
      throw Failure.sentence(error.sentence(readings), .no)
    }
    var printer = Printer()
    if json { try printer.line(line) } else { try printer.text(line.toml) }
    try printer.flush()
  }
}

extension Calibration.Refusal {
  fileprivate func sentence(_ readings: Calibration.Readings) -> String {
    let address = readings.address.text ?? "the device"
    return switch self {
    case .spread(let spread):
      "half of the readings of \(address) differ by more than \(spread - 1) dB, and \(Calibration.spreadMax) are "
        + "allowed; let nobody and nothing move, turn the device's broad side to the antenna, and measure again"
    case .outOfRange(let offset):
      "\(address) would need an offset of \(offset) dB, and a profile takes -40 to 40; hold it at 1 m, and give what it "
        + "should read there with --power-at-1m"
    }
  }
}
