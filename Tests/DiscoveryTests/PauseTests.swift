// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite("A pause in which the radio could not listen")
struct PauseTests: GateTesting {
  @Test(
    "No pause causes an event, and after it silence counts on",
    arguments: [50, 1000, 60_000, 600_000] as [Int64])
  func silence(pause: Int64) {
    let harness = entered()
    harness.wait(until: 2000)
    harness.pause(until: 2000 + pause)
    #expect(harness.lines() == [])
    #expect(harness.lines(until: 5899 + pause) == [])
    #expect(harness.lines(until: 6000 + pause) == ["\(5900 + pause) lost bulb 1 silence"])
  }

  @Test("With a pause everything happens as without, only later", arguments: UInt64(1)...40)
  func twin(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    let (calm, paused) = (gateway(), gateway())
    let pause = Int64(1 + dice.number(below: 300_000))
    let turn = Int64(dice.number(below: 60_000))
    var (now, shift) = (Int64(0), Int64(0))
    for _ in 0..<400 {
      now += [20, 100, 100, 100, 1000, 7000][dice.number(below: 6)]
      if shift == 0, now > turn {
        calm.wait(until: turn)
        paused.wait(until: turn)
        paused.pause(until: turn + pause)
        shift = pause
      }
      let (device, reading) = (UInt64(1 + dice.number(below: 4)), Int8(-75 + dice.number(below: 41)))
      calm.hear(device, reading, .made(by: company), at: now)
      paused.hear(device, reading, .made(by: company), at: now + shift)
    }
    let expected = calm.sightings().map { $0.milliseconds > turn ? $0.milliseconds + pause : $0.milliseconds }
    #expect(paused.sightings().map(\.milliseconds) == expected, "seed \(seed)")
    for device: UInt64 in 1...4 { #expect(calm.found(device) == paused.found(device)) }
  }
}
