// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
import Manifest
import ManifestFormat
import Testing

@Suite("Board profiles")
struct BoardProfileReaderTests {
  private static func lines(_ text: String) -> [String] {
    BoardProfileReader.read(text: Array(("schema = 1\nname = \"b\"\n" + text).utf8), fileName: "b.toml").lines
  }

  @Test("The generic profile writes the defaults down")
  func generic() throws {
    let text = try Fixtures.bytes(of: Fixtures.package + "/Board/generic.toml")
    let reading = BoardProfileReader.read(text: text, fileName: "generic.toml")
    #expect(reading.lines == [])
    var expected = BoardProfile(name: "generic")
    expected.recovery = [RecoveryStep(kind: .reset), RecoveryStep(kind: .power)]
    #expect(reading.value == expected)
    let words = Set(String(decoding: text, as: UTF8.self).split { " \n.=#[]{}".contains($0) })
    let keys = BoardKey.allCases.map(\.rawValue) + ScanKey.allCases.map(\.rawValue)
    let inner = DutyKey.allCases.map(\.rawValue) + RecoveryKey.allCases.map(\.rawValue)
    #expect((keys + inner).filter { !words.contains($0[...]) } == [])
  }

  private static let shipped =
    (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.package + "/Board"))?
    .filter { $0.hasSuffix(".toml") }.sorted() ?? []

  private static func profile(of file: String) throws -> BoardProfile {
    let text = try Fixtures.bytes(of: Fixtures.package + "/Board/" + file)
    let reading = BoardProfileReader.read(text: text, fileName: file)
    #expect(reading.lines == [])
    return try #require(reading.value)
  }

  @Test("Every board of Board/ is read without a diagnostic")
  func installedBoards() throws {
    #expect(
      Self.shipped == [
        "generic.toml", "raspberry-pi-3b-plus.toml", "raspberry-pi-4.toml", "raspberry-pi-5.toml",
        "raspberry-pi-zero-2-w.toml", "usb-dongle.toml", "virtual.toml",
      ])
    for file in Self.shipped {
      let profile = try Self.profile(of: file)
      #expect(profile.name + ".toml" == file)
      // The guarantee about touch holds at the full duty only.
      #expect(profile.fast.isFull, "\(file)")
    }
  }

  @Test("A board whose radio shares its antenna never listens all the time but for touch")
  func shared() throws {
    for file in Self.shipped where file.hasPrefix("raspberry-pi") {
      let profile = try Self.profile(of: file)
      #expect(profile.knownLimits.isSuperset(of: [.sharesAntennaWithWiFi, .noExtendedScanning]), "\(file)")
      #expect(!profile.low.isFull && !profile.balanced.isFull, "\(file)")
      #expect(profile.transport == .uart && profile.asksForRecovery, "\(file)")
      // A UART knows no USB reset.
      #expect(!profile.recovery.contains { $0.kind == .usbReset }, "\(file)")
      // A board that was not measured has no number.
      #expect(profile.rssiOffset == nil, "\(file)")
    }
    #expect(try Self.profile(of: "usb-dongle.toml").asksForRecovery)
    #expect(try !Self.profile(of: "generic.toml").asksForRecovery)
    #expect(try !Self.profile(of: "virtual.toml").asksForRecovery)
  }

  @Test("Every setting arrives")
  func everything() throws {
    let text = """
      schema = 1
      name = "raspberry-pi-4"
      transport = "uart"
      rssi-offset = -3
      known-limits = ["noExtendedScanning", "sharesAntennaWithWiFi"]
      scan.low = { window-ms = 10, interval-ms = 1000 }
      scan.fast.interval-ms = 100
      recovery = [{ step = "rfkill" }, { step = "usb-reset", wait-ms = 500 },
        { step = "rebind", driver = "hci_uart_bcm", device = "serial0-0" }]
      """
    let reading = BoardProfileReader.read(text: Array(text.utf8), fileName: "b.toml")
    #expect(reading.lines == [])
    let profile = try #require(reading.value)
    #expect(profile.name == "raspberry-pi-4" && profile.transport == .uart && profile.rssiOffset == -3)
    #expect(profile.knownLimits == [.noExtendedScanning, .sharesAntennaWithWiFi])
    #expect(profile.low == ScanDuty(windowMilliseconds: 10, intervalMilliseconds: 1000))
    #expect(profile.fast == ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 100))
    #expect(
      profile.recovery.map(\.kind) == [
        .rfkill, .usbReset, .rebind(driver: "hci_uart_bcm", device: "serial0-0"),
      ])
    #expect(profile.recovery.map(\.waitMilliseconds) == [2000, 500, 2000])
  }

  @Test(
    "A mistake is named with its cure",
    arguments: [
      (
        "rssi-offset = \"none\"",
        "b.toml:3: rssi-offset: \"none\" does not fit; it must be \"uncalibrated\" or a number of decibels from -40 to 40"
      ),
      ("rssi-offset = 90", "b.toml:3: rssi-offset: 90 is out of range; use -40 to 40"),
      ("transport = \"USB\"", "b.toml:3: transport: \"USB\" is not known; did you mean \"usb\"?"),
      (
        "scan.low.window-ms = 400",
        "b.toml:3: scan.low.window-ms: 400 is too much for interval-ms, which allows 300; lower this or raise interval-ms"
      ),
      ("scan.slow.window-ms = 40", "b.toml:3: scan.slow: there is no such key; did you mean low?"),
      ("[[recovery]]\nwait-ms = 500", "b.toml:3: recovery[0]: step is missing; add it"),
      ("[[recovery]]\nstep = \"rebind\"\ndriver = \"d\"", "b.toml:3: recovery[0]: device is missing; add it"),
      (
        "[[recovery]]\nstep = \"power\"\ndevice = \"serial0-0\"",
        "b.toml:5: recovery[0].device: only step = \"rebind\" has this key; remove it"
      ),
      (
        "[[recovery]]\nstep = \"rebind\"\ndriver = \"d\"\ndevice = \"../x\"",
        "b.toml:6: recovery[0].device: \"../x\" does not fit; it must be the name of a device in sysfs, as \"serial0-0\" or \"1-1.4:1.0\""
      ),
    ])
  func mistakes(text: String, line: String) {
    #expect(Self.lines(text) == [line])
  }
}
