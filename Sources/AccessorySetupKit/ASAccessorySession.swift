// SPDX-License-Identifier: Apache-2.0

@_exported public import Dispatch
@_exported public import Foundation
@_exported public import Observation
import Interfaces
import SessionClient

/// Coordinates the discovery and setup of the app's accessories.
///
/// Events, completion handlers and changes of ``accessories`` come on the queue that ``activate(on:eventHandler:)`` was
/// given, in one order: inside a handler, ``accessories`` shows exactly the events up to this one.
open class ASAccessorySession: NSObject, @unchecked Sendable {
  package let engine: SessionEngine

  /// Copied when it is set; nil for the defaults. A picker that is open keeps the settings it was shown with.
  @NSCopying open var pickerDisplaySettings: ASPickerDisplaySettings?

  /// Makes a session with the agent of this gateway; see ``ASGateway/init()``.
  public override init() {
    engine = SessionEngine(ASGateway())
    super.init()
    engine.session = self
  }

  /// A session with the agent of that socket, as that app.
  public init(gateway: ASGateway) {
    engine = SessionEngine(gateway)
    super.init()
    engine.session = self
  }

  deinit { engine.invalidate(isReported: false) }

  /// The app's accessories, as the delivered events say; empty before `activated` and after `invalidated`.
  open var accessories: [ASAccessory] { engine.accessories }

  /// Activates the session. The event `activated` comes when the agent has listed the accessories; while the agent is
  /// away, the session keeps trying. A second call is ignored.
  @preconcurrency
  open func activate(on queue: DispatchQueue, eventHandler: @escaping (ASAccessoryEvent) -> Void) {
    engine.activate(on: queue, handler: eventHandler)
  }

  /// Ends the session: calls that wait complete with `invalidated`, and one last event comes.
  open func invalidate() { engine.invalidate(isReported: true) }

  // MARK: - Picker

  /// Shows a picker for the app's items in the manifest. Completes after the picker was dismissed.
  @preconcurrency open func showPicker(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    beginCall(completionHandler) { () throws(SessionError) in
      .showPicker(items: nil, settings: try self.pickerDisplaySettings?.requested)
    }
  }

  /// Shows a picker. Completes after the picker was dismissed.
  @preconcurrency
  open func showPicker(
    for displayItems: [ASPickerDisplayItem], completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    beginCall(completionHandler) { () throws(SessionError) in
      var items: [RequestedItem] = []
      for (index, item) in displayItems.enumerated() {
        items.append(try item.requested(at: "items[\(index)]"))
      }
      return .showPicker(items: items, settings: try self.pickerDisplaySettings?.requested)
    }
  }

  /// Shows exactly these devices in the open picker, which has the option `filterDiscoveryResults`.
  @preconcurrency
  open func updatePicker(
    showing displayItems: [ASDiscoveredDisplayItem],
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    beginCall(completionHandler) { () throws(SessionError) in .updatePicker(displayItems.map(\.shown)) }
  }

  /// Says that the app waits for no more devices.
  @preconcurrency
  open func finishPickerDiscovery(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    beginCall(completionHandler) { () throws(SessionError) in .finishPickerDiscovery }
  }

  // MARK: - Accessories

  /// Asks the operators for a new name.
  @preconcurrency
  open func renameAccessory(
    _ accessory: ASAccessory, options renameOptions: ASAccessory.RenameOptions = [],
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    beginCall(completionHandler) { () throws(SessionError) in
      .renameAccessory(try accessory.identifier, options: renameOptions.bits)
    }
  }

  /// Removes the accessory from the app.
  @preconcurrency
  open func removeAccessory(
    _ accessory: ASAccessory, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    beginCall(completionHandler) { () throws(SessionError) in .removeAccessory(try accessory.identifier) }
  }

  /// Confirms an accessory that awaits authorization.
  @preconcurrency
  open func finishAuthorization(
    for accessory: ASAccessory, settings: ASAccessorySettings,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    beginCall(completionHandler) { () throws(SessionError) in
      let bridging = settings.bluetoothTransportBridgingIdentifier.map { [UInt8]($0) }
      guard bridging.map({ $0.count == 6 }) ?? true else {
        throw SessionError(
          .invalidRequest, field: "bluetoothTransportBridgingIdentifier",
          "it has \(bridging?.count ?? 0) bytes",
          cure: "give the six bytes of the classic address")
      }
      return .finishAuthorization(
        try accessory.identifier, ssid: settings.ssid, bridgingIdentifier: bridging)
    }
  }

  /// Rejects an accessory that awaits authorization.
  @preconcurrency
  open func failAuthorization(
    for accessory: ASAccessory, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    beginCall(completionHandler) { () throws(SessionError) in .failAuthorization(try accessory.identifier) }
  }

  /// Asks the operators to let the app use the accessory's network too. Of the descriptor, the network's name counts.
  @preconcurrency
  open func updateAuthorization(
    for accessory: ASAccessory, descriptor: ASDiscoveryDescriptor,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    beginCall(completionHandler) { () throws(SessionError) in
      .updateAuthorization(try accessory.identifier, try descriptor.networkLine(for: accessory))
    }
  }

  // MARK: - The same calls, suspending. Cancelling the task does not end a call.

  /// Shows a picker for the app's items in the manifest. Returns after the picker was dismissed.
  open func showPicker() async throws {
    try await suspended { self.showPicker(completionHandler: $0) }
  }

  /// Shows a picker. Returns after the picker was dismissed.
  open func showPicker(for displayItems: [ASPickerDisplayItem]) async throws {
    try await suspended { self.showPicker(for: displayItems, completionHandler: $0) }
  }

  /// Shows exactly these devices in the open picker, which has the option `filterDiscoveryResults`.
  open func updatePicker(showing displayItems: [ASDiscoveredDisplayItem]) async throws {
    try await suspended { self.updatePicker(showing: displayItems, completionHandler: $0) }
  }

  /// Says that the app waits for no more devices.
  open func finishPickerDiscovery() async throws {
    try await suspended { self.finishPickerDiscovery(completionHandler: $0) }
  }

  /// Asks the operators for a new name.
  open func renameAccessory(
    _ accessory: ASAccessory, options renameOptions: ASAccessory.RenameOptions = []
  ) async throws {
    try await suspended { self.renameAccessory(accessory, options: renameOptions, completionHandler: $0) }
  }

  /// Removes the accessory from the app.
  open func removeAccessory(_ accessory: ASAccessory) async throws {
    try await suspended { self.removeAccessory(accessory, completionHandler: $0) }
  }

  /// Confirms an accessory that awaits authorization.
  open func finishAuthorization(for accessory: ASAccessory, settings: ASAccessorySettings) async throws {
    try await suspended {
      self.finishAuthorization(for: accessory, settings: settings, completionHandler: $0)
    }
  }

  /// Rejects an accessory that awaits authorization.
  open func failAuthorization(for accessory: ASAccessory) async throws {
    try await suspended { self.failAuthorization(for: accessory, completionHandler: $0) }
  }

  /// Asks the operators to let the app use the accessory's network too.
  open func updateAuthorization(for accessory: ASAccessory, descriptor: ASDiscoveryDescriptor) async throws {
    try await suspended {
      self.updateAuthorization(for: accessory, descriptor: descriptor, completionHandler: $0)
    }
  }

  private func suspended(_ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      call { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Begins a call, or refuses one that is wrong in itself.
  private func beginCall(
    _ completionHandler: @escaping @Sendable ((any Error)?) -> Void,
    _ request: () throws(SessionError) -> SessionRequest
  ) {
    engine.beginCall(Result(catching: request)) { result in
      switch result {
      case .success: completionHandler(nil)
      case .failure(let error): completionHandler(ASError(error))
      }
    }
  }
}

extension ASAccessory {
  /// What names the accessory to the agent. A device that a picker found is none.
  var identifier: String {
    get throws(SessionError) {
      guard !(self is ASDiscoveredAccessory) else {
        throw SessionError(
          .invalidRequest, field: "accessory", "the accessory was discovered, and is not set up",
          cure: "show it with updatePicker(showing:), and use the accessory of the event accessoryAdded")
      }
      return line.identifier
    }
  }
}
