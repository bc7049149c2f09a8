// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
@testable import AgentRuntime
import Dispatch
import Foundation
import Registry
import RegistryStore
import Synchronization

/// The disk of a running gateway: a real file, changed by the disk worker's thread, that fails and waits when the
/// scenario asks for it.
///
/// The file replies as ``StandInRegistryFile`` would; ``difference`` reports where it does not.
final class ScenarioDisk: Sendable {
  private let registry: Mutex<StandInRegistryFile>
  private let reading = Mutex<ManifestReading?>(nil)
  private let differences = Mutex<String?>(nil)
  private let gate = DispatchSemaphore(value: 0)
  private let keeper: RegistryKeeper
  let path: String

  /// Creates a file with the contents of `registry`.
  init(_ registry: StandInRegistryFile, path: String) {
    self.path = path
    self.registry = Mutex(registry)
    keeper = RegistryKeeper(path: path)
    guard registry.saved != AccessoryRegistry() else { return }
    _ = keeper.execute(.open)
    _ = keeper.execute(.replace(registry.saved))
    _ = keeper.execute(.close)
  }

  var disk: Disk {
    Disk(registryPath: path) { [self] request in
      switch request {
      case .readConfiguration: .configuration(read())
      case .registry(let request): .registry(answer(request))
      }
    }
  }

  // MARK: - The scenario's side

  var state: StandInRegistryFile {
    get { registry.withLock { $0 } }
    set { registry.withLock { $0 = newValue } }
  }

  var manifest: ManifestReading? {
    get { reading.withLock { $0 } }
    set { reading.withLock { $0 = newValue } }
  }

  var isHeld: Bool { registry.withLock { $0.isHeld } }
  /// The first reply of the file that was not the expected one.
  var difference: String? { differences.withLock { $0 } }

  func release() {
    let isAwaited = registry.withLock { registry in
      registry.isHeld = false
      return registry.isWaiting
    }
    if isAwaited { gate.signal() }
  }

  /// Reads the file after the gateway has closed it, and compares it with what it should hold.
  func finish() {
    compare(RegistryKeeper(path: path).execute(.open), .opened(state.saved))
  }

  // MARK: - The worker's side

  private func answer(_ request: RegistryRequest) -> RegistryReply {
    var (reply, isScripted) = registry.withLock { registry in
      let isScripted = !registry.replies.isEmpty
      return (registry.answer(request), isScripted)
    }
    if reply == nil {
      gate.wait()
      (reply, isScripted) = registry.withLock { registry in
        let isScripted = !registry.replies.isEmpty
        return (registry.release(), isScripted)
      }
    }
    guard let reply else { preconditionFailure("every request gets a reply") }
    guard !isScripted else { return reply }
    let real = keeper.execute(request)
    compare(real, reply)
    return real
  }

  private func compare(_ real: RegistryReply, _ expected: RegistryReply) {
    // The kept file has another name.
    if case (.reset, .reset) = (real, expected) { return }
    guard real != expected else { return }
    differences.withLock { $0 = $0 ?? "the file replied \(real), not \(expected)" }
  }

  private func read() -> Result<ConfigurationReader.Result, StartError> {
    guard case .accepted(let configuration, let radioSource, let warnings)? = manifest else {
      preconditionFailure("a scenario sets the reading before a manifest is read")
    }
    return .success(
      ConfigurationReader.Result(
        configuration: configuration, radioSource: radioSource, warnings: warnings))
  }
}

/// A folder in memory for a gateway's socket and file, which every user can enter. It is removed with this object.
final class ScenarioFolder: Sendable {
  let path: String

  init() {
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
    path = parent + "scenario-" + UUID().uuidString.prefix(8)
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
