// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit

/// Keeps the app's accessories, and asks for one while there is none. The session survives a restart of the agent.
@MainActor
final class Lamps {
  private let session = ASAccessorySession()

  func start() {
    session.activate(on: .main) { [weak self] event in
      MainActor.assumeIsolated { self?.handle(event) }
    }
  }

  private func handle(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      say("activated: \(session.accessories.count) accessories")
      if session.accessories.isEmpty { showPicker() }
    case .accessoryAdded: say("accessoryAdded: \(event.accessory?.displayName ?? "")")
    case .accessoryChanged: say("accessoryChanged: \(event.accessory?.displayName ?? "")")
    case .accessoryRemoved: say("accessoryRemoved: \(event.accessory?.displayName ?? "")")
    case .invalidated:
      say("invalidated: \(event.error?.localizedDescription ?? "by the app")")
      exit(1)
    default: say("\(event.eventType)")
    }
  }

  private func showPicker() {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(0x0EEE)
    let image = UIImage(named: "lumo.png") ?? UIImage()
    let item = ASPickerDisplayItem(name: "Lumo bulb", productImage: image, descriptor: descriptor)
    session.showPicker(for: [item]) { error in
      if let error { print(error.localizedDescription) }
    }
  }

  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

let lamps = Lamps()
lamps.start()
dispatchMain()
