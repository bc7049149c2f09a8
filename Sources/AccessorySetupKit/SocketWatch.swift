// SPDX-License-Identifier: Apache-2.0

import CSocketWatch
package import Dispatch
import Glibc

/// Says when a socket has something to read, and when it takes bytes again. Everything happens on one queue.
///
/// Dispatch watches an epoll instance that has the socket as its member, and not the socket: when the other side hangs up,
/// one thread of Dispatch may free what another still reads, which ends the program
/// (swift-corelibs-libdispatch, issue 949). An epoll instance never hangs up.
package final class SocketWatch: @unchecked Sendable {
  private let socket: Int32
  private let source: any DispatchSourceRead
  package private(set) var isAwaitingSpace = false

  /// nil when no descriptor is free, of which it needs one.
  package init?(_ socket: Int32, queue: DispatchQueue) {
    let watch = csocket_watch_create(socket)
    guard watch >= 0 else { return nil }
    self.socket = socket
    source = DispatchSource.makeReadSource(fileDescriptor: watch, queue: queue)
  }

  /// Begins. `ended` follows ``cancel()``, and may close the socket, which nothing uses any more.
  package func activate(ready: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void) {
    let watch = Int32(source.handle)
    source.setEventHandler(handler: ready)
    source.setCancelHandler {
      close(watch)
      ended()
    }
    source.activate()
  }

  package var isCancelled: Bool { source.isCancelled }

  package func cancel() { source.cancel() }

  /// Whether it is ready while the socket takes bytes, too.
  package func awaitSpace(_ isAwaited: Bool) {
    guard isAwaited != isAwaitingSpace else { return }
    isAwaitingSpace = isAwaited
    csocket_watch_await_space(Int32(source.handle), socket, isAwaited ? 1 : 0)
  }
}
