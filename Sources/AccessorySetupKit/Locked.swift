// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that several threads use, each while it holds the lock.
///
/// The library's objects are used on the app's threads and on queues of their own: what an app may read at any time is in
/// such a value. The lock is held for a few instructions; nothing waits, calls the app or allocates without bound in
/// between.
///
/// It is no `Mutex` of the module Synchronization, because ThreadSanitizer does not see those on Linux: their atomic
/// operations are in a library that is not instrumented. An author who looks for races in an app would find some here that
/// do not exist.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// Calls `body` with the value, which it may change. Calls of several threads follow one another.
  ///
  /// - Parameter body: must not use the same value again: the lock is not recursive.
  /// - Throws: what `body` throws; changes up to there remain.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
