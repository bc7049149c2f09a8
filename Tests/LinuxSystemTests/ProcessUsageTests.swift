// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Testing

@Suite("What a process uses")
struct ProcessUsageTests {
  @Test("Is what the kernel says of this one")
  func now() throws {
    let first = try #require(ProcessUsage.now())
    let page = Int64(4096)
    #expect(first.residentBytes > 100 * page && first.residentBytes < first.virtualBytes)
    #expect(first.openDescriptors >= 3 && Int64(first.openDescriptors) < first.openDescriptorsMax)
    #expect(first.processorMicroseconds > 0)
    let wall = try WallTime.now().microseconds
    #expect((wall - 86_400_000_000...wall).contains(first.startMicroseconds))
    let waker = try Waker()
    let second = try #require(ProcessUsage.now())
    #expect(second.openDescriptors > 0 && second.processorMicroseconds >= first.processorMicroseconds)
    _ = waker
  }
}
