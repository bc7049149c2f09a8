// SPDX-License-Identifier: GPL-3.0-or-later

import LaboratoryRadio
import Testing

@Suite("An order to the lab's controller") struct OrderTests {
  @Test(
    "is a verb with its values",
    arguments: [
      ("count", Order.count),
      (
        "load rate=1000 count=30000",
        .load(.legacy, rate: 1000, count: 30_000, addressCount: 300, targets: 10)
      ),
      (
        "load kind=mixed rate=flat-out count=5 addresses=7 targets=3",
        .load(.mixed, rate: nil, count: 5, addressCount: 7, targets: 3)
      ),
      ("fault kind=silent resets=2", .fault(StationFault(.silent, cure: .resets(2)))),
      (
        "fault kind=refusing opcode=0x200c status=0x11",
        .fault(StationFault(.refusing(status: 0x11), opcode: 0x200C))
      ),
      ("emit bytes=041001ff", .emit([4, 0x10, 1, 0xFF])),
      ("replay path=/a/b", .replay(path: "/a/b")),
    ])
  func valid(line: String, order: Order) { #expect(Order(line) == order) }

  @Test(
    "without a value that it needs is refused",
    arguments: [
      "", "dance", "load rate=0 count=1", "load rate=10", "load rate=1 count=1 targets=101", "fault kind=sad",
      "emit bytes=04zz", "load fast",
    ])
  func refused(line: String) { #expect(Order(line) == nil) }
}
