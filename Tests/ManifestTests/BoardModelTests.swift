// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Testing

@Suite("The board's profile by what its firmware calls it")
struct BoardModelTests {
  private static let names = [
    "generic", "raspberry-pi-3b-plus", "raspberry-pi-4", "raspberry-pi-5", "raspberry-pi-zero-2-w",
    "usb-dongle",
  ]

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
