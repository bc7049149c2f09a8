// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit

/// An app whose session is on the main queue, as most are: it prints what happens, and ends after its picker.
@MainActor public final class MainQueueApp {
  private let session = ASAccessorySession()

  public init() {}

  public func start() {
    session.activate(on: .main) { [weak self] event in
      dispatchPrecondition(condition: .onQueue(.main))
      MainActor.assumeIsolated { self?.handle(event) }
    }
    session.showPicker { error in
      dispatchPrecondition(condition: .onQueue(.main))
      MainActor.assumeIsolated {
        Self.report("showPicker: \(error?.localizedDescription ?? "done")")
        exit(0)
      }
    }
  }

  private func handle(_ event: ASAccessoryEvent) {
    Self.report("\(event.eventType), \(session.accessories.count)")
  }

  private static func report(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
