// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Testing
import ToolText

@Suite("The board's profile by what its firmware calls it")
struct BoardModelTests {
  private static let names = [
    "generic", "raspberry-pi-3b-plus", "raspberry-pi-4", "raspberry-pi-5", "raspberry-pi-zero-2-w",
    "usb-dongle",
  ]

  @Test("A profile that fits the adapter stays; on USB that of USB adapters is proposed on every board")
  func proposals() {
    func proposal(_ name: String, _ transport: BoardProfile.Transport, isUSB: Bool, hasUSB: Bool = true)
      -> String
    {
      var profile = BoardProfile(name: name)
      profile.transport = transport
      let names = Self.names.filter { hasUSB || $0 != BoardProfile.usbName }
      return BoardModel("Raspberry Pi 4 Model B Rev 1.5").proposal(
        inPlaceOf: name, profile, among: names, isUSB: isUSB)
    }
    #expect(proposal("generic", .any, isUSB: false) == "raspberry-pi-4")
    #expect(proposal("generic", .any, isUSB: true) == "usb-dongle")
    #expect(proposal("raspberry-pi-5", .uart, isUSB: true) == "usb-dongle")
    #expect(proposal("raspberry-pi-5", .uart, isUSB: true, hasUSB: false) == "raspberry-pi-5")
    for (name, transport, isUSB) in [
      ("raspberry-pi-5", BoardProfile.Transport.uart, false), ("mine", .usb, true), ("mine", .any, true),
    ] {
      #expect(proposal(name, transport, isUSB: isUSB) == name)
    }
    let unknown = BoardModel("").proposal(inPlaceOf: "generic", nil, among: Self.names, isUSB: false)
    #expect(unknown == "generic")
  }

  @Test(
    "The longest profile that the model begins with is likely",
    arguments: [
      ("Raspberry Pi 3 Model B Plus Rev 1.3\0", "raspberry-pi-3b-plus"),
      ("Raspberry Pi 4 Model B Rev 1.2\0", "raspberry-pi-4"),
      ("Raspberry Pi 5 Model B Rev 1.0", "raspberry-pi-5"),
      ("Raspberry Pi Zero 2 W Rev 1.0\0", "raspberry-pi-zero-2-w"), ("RASPBERRY PI 4", "raspberry-pi-4"),
    ])
  func known(model: String, profile: String) {
    #expect(BoardModel(model).profile(among: Self.names) == profile)
    #expect(BoardModel(model).profile(among: Self.names + ["raspberry"]) == profile)
  }

  @Test(
    "No profile is likely for any other model",
    arguments: [
      "", "\0", "Raspberry Pi 3 Model B Rev 1.2", "Raspberry Pi Zero W", "a raspberry pi 4", "\u{FFFD}",
    ])
  func unknown(model: String) {
    #expect(BoardModel(model).profile(among: Self.names) == nil)
    #expect(BoardModel(model).profile(among: ["", "-"]) == nil)
  }
}
