// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Testing

@testable import AccessorySetupKit

@Suite struct SocketWatchTests {
  /// A connected pair whose first socket is watched.
  private final class Pair: @unchecked Sendable {
    let queue = DispatchQueue(label: "watch")
    let near, far: Int32
    let watch: SocketWatch

    init() throws {
      var pair: [Int32] = [0, 0]
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      try #require(unsafe socketpair(AF_UNIX, type, 0, &pair) == 0)
      (near, far) = (pair[0], pair[1])
      watch = try #require(SocketWatch(near, queue: queue))
    }

    func watchSocket(_ ready: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void = {}) {
      watch.activate(ready: ready) { [near] in
        close(near)
        ended()
      }
    }
  }

  private static func expect(_ semaphore: DispatchSemaphore) {
    #expect(semaphore.wait(timeout: .now() + 60) == .success)
  }

  @Test func `a socket is ready with bytes, and when the other side has hung up`() throws {
    let pair = try Pair()
    let (received, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    pair.watchSocket {
      var byte: UInt8 = 0
      if unsafe recv(pair.near, &byte, 1, 0) == 1 { received.signal() } else { pair.watch.cancel() }
    } ended: {
      ended.signal()
    }
    var byte: UInt8 = 7
    #expect(unsafe send(pair.far, &byte, 1, 0) == 1)
    Self.expect(received)
    close(pair.far)
    Self.expect(ended)
    #expect(pair.watch.isCancelled)
  }

  @Test func `a full socket is ready once it takes bytes, and only while that is awaited`() throws {
    let pair = try Pair()
    let bytes = [UInt8](repeating: 1, count: 4096)
    while unsafe send(pair.near, bytes, bytes.count, 0) > 0 {}
    let (hasSpace, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    pair.queue.sync {
      pair.watchSocket {
        // Nothing was sent to it.
        #expect(pair.watch.isAwaitingSpace)
        pair.watch.awaitSpace(false)
        hasSpace.signal()
      } ended: {
        ended.signal()
      }
      pair.watch.awaitSpace(true)
    }
    var space = [UInt8](repeating: 0, count: 1 << 20)
    while unsafe recv(pair.far, &space, space.count, 0) > 0 {}
    Self.expect(hasSpace)
    pair.queue.sync { pair.watch.cancel() }
    Self.expect(ended)
    close(pair.far)
  }
}
