// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit

/// Keeps the app's accessories, and asks for one while there is none. The session survives a restart of the agent.
@MainActor
final class Lamps {
  private let session = ASAccessorySession()
  private let pause: TimeInterval
  private var isAsking = false

  /// - Parameter pause: seconds until the next picker, when one ended without an accessory.
  init(pause: TimeInterval) { self.pause = pause }

  func start() {
    session.activate(on: .main) { [weak self] event in
      MainActor.assumeIsolated { self?.handle(event) }
    }
  }

  private func handle(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      say("activated: \(session.accessories.count) accessories")
      ask()
    case .accessoryAdded: say("accessoryAdded: \(event.accessory?.displayName ?? "")")
    case .accessoryChanged: say("accessoryChanged: \(event.accessory?.displayName ?? "")")
    case .accessoryRemoved:
      say("accessoryRemoved: \(event.accessory?.displayName ?? "")")
      askLater()
    case .invalidated:
      say("invalidated: \(event.error?.localizedDescription ?? "by the app")")
      exit(1)
    default: say("\(event.eventType)")
    }
  }

  private func ask() {
    guard session.accessories.isEmpty, !isAsking else { return }
    isAsking = true
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(0x0EEE)
    let image = UIImage(named: "lumo.png") ?? UIImage()
    let item = ASPickerDisplayItem(name: "Lumo bulb", productImage: image, descriptor: descriptor)
    session.showPicker(for: [item]) { [weak self] error in
      MainActor.assumeIsolated { self?.pickerEnded(error) }
    }
  }

  private func pickerEnded(_ error: (any Error)?) {
    isAsking = false
    if let error { say("picker: \(error.localizedDescription)") }
    askLater()
  }

  private func askLater() {
    DispatchQueue.main.asyncAfter(deadline: .now() + pause) { [weak self] in
      MainActor.assumeIsolated { self?.ask() }
    }
  }

  /// `print` would keep the line in its buffer when the output is a pipe.
  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

let lamps = Lamps(pause: CommandLine.arguments.dropFirst().first.flatMap(TimeInterval.init) ?? 30)
lamps.start()
dispatchMain()
