// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The user's devices. It works in the same way with each discovery. On the main queue.
final class DeviceManager {
  private let discovery: DeviceDiscovery
  /// One line for each thing that happens.
  private let report: (String) -> Void
  private(set) var devices: [Device] = []
  private var connections: [UUID: DeviceConnection] = [:]

  init(_ discovery: DeviceDiscovery, report: @escaping (String) -> Void) {
    self.discovery = discovery
    self.report = report
    discovery.onEvent = { [weak self] event in self?.handle(event) }
    discovery.activate()
  }

  // MARK: - What the user does

  func find() { discovery.start() }

  func stop() { discovery.stop() }

  func rename(_ name: String) { withDevice(name, discovery.rename) }

  func remove(_ name: String) { withDevice(name, discovery.remove) }

  func connect(_ name: String) {
    withDevice(name) { device in connections[device.id] = DeviceConnection(to: device, report: report) }
  }

  func disconnect(_ name: String) {
    withDevice(name) { device in connections[device.id] = nil }
  }

  private func withDevice(_ name: String, _ body: (Device) -> Void) {
    guard let device = devices.first(where: { $0.name == name }) else {
      return report("no device is called \(name)")
    }
    body(device)
  }

  // MARK: - What the discovery reports

  private func handle(_ event: DiscoveryEvent) {
    switch event {
    case .ready: report("ready: \(devices.count) devices")
    case .found(let device):
      devices.append(device)
      report("found: \(device.name), \(device.model)")
    case .changed(let device):
      guard let index = devices.firstIndex(where: { $0.id == device.id }) else { return }
      report("changed: \(devices[index].name) is now \(device.name)")
      devices[index] = device
    case .lost(let device):
      devices.removeAll { $0.id == device.id }
      connections[device.id] = nil
      report("lost: \(device.name)")
    case .ended(let error): report("ended: \(error?.localizedDescription ?? "done")")
    }
  }
}
