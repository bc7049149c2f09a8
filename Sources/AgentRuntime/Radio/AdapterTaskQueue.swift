// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// The *devices* worker and the tasks that wait for it, in their order.
///
/// Capacity: a loop adds at most a few tasks for each radio that it opens or closes; the queue itself has no limit.
struct AdapterTaskQueue {
  typealias DevicesWorker = Worker<AdapterTask, AdapterTaskResult>

  let worker: DevicesWorker
  private(set) var waiting: [AdapterTask] = []
  private var isWorking = false
  /// The radio that the worker opens now; its result counts only while the agent wants this radio.
  var opening: RadioRequest?

  init(_ performTask: @escaping @Sendable (AdapterTask) -> AdapterTaskResult) throws(SystemError) {
    worker = try DevicesWorker(performTask)
  }

  mutating func add(_ task: AdapterTask) {
    waiting.append(task)
    startNext()
  }

  /// Adds a task that the program performs at its end, without the worker.
  mutating func addForEnd(_ task: AdapterTask) { waiting.append(task) }

  /// Starts the next task unless one is under way.
  mutating func startNext() {
    guard !isWorking, !waiting.isEmpty else { return }
    isWorking = true
    worker.send(waiting.removeFirst())
  }

  /// Returns the result that has arrived. ``startNext()`` is the caller's next step.
  mutating func takeResult() -> AdapterTaskResult? {
    guard let result = worker.takeReply() else { return nil }
    isWorking = false
    return result
  }
}
