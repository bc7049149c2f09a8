// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// The *devices* worker and the tasks that wait for it, done in their order.
///
/// Capacity: a loop adds at most a few tasks for each radio that it opens or closes; the queue itself has no limit.
struct AdapterTaskQueue {
  typealias DevicesWorker = Worker<AdapterTask, AdapterTaskResult>

  let worker: DevicesWorker
  private(set) var waiting: [AdapterTask] = []
  private var isWorking = false
  /// The radio that the worker opens now; its result counts only while this is the radio that is wanted.
  var opening: RadioRequest?

  init(_ perform: @escaping @Sendable (AdapterTask) -> AdapterTaskResult) throws(SystemError) {
    worker = try DevicesWorker(perform)
  }

  mutating func add(_ task: AdapterTask) {
    waiting.append(task)
    startNext()
  }

  /// Adds a task that the program performs itself at its end.
  mutating func addForEnd(_ task: AdapterTask) { waiting.append(task) }

  /// Starts the next task unless one is under way.
  mutating func startNext() {
    guard !isWorking, !waiting.isEmpty else { return }
    isWorking = true
    worker.ask(waiting.removeFirst())
  }

  /// The result that is there. ``startNext()`` is the caller's next step.
  mutating func takeResult() -> AdapterTaskResult? {
    guard let result = worker.takeReply() else { return nil }
    isWorking = false
    return result
  }
}
