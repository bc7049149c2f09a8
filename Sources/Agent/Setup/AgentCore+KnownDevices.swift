// SPDX-License-Identifier: GPL-3.0-or-later

public import Setup

/// What BlueZ said last about the devices that it knows. It is asked again for every call that needs it.
struct KnownDevicesRecord {
  /// How long an answer counts.
  private static let freshMilliseconds: Int64 = 1000

  fileprivate(set) var devices = KnownDevices([])
  fileprivate var readAt: Instant?
  fileprivate var isBeingRead = false

  func isFresh(at now: Instant) -> Bool {
    readAt.map { now.milliseconds(since: $0) < Self.freshMilliseconds } ?? false
  }
}

extension AgentCore {
  /// How long a call waits for BlueZ, which may not reply, and for the adapter that may be opened before.
  private static let knownDevicesMilliseconds: Int64 = 10_000

  /// Keeps a call until the devices that BlueZ knows were read.
  func readKnownDevices(for call: MethodCall) -> CallOutcome {
    if !setupLink.knownDevices.isBeingRead {
      setupLink.knownDevices.isBeingRead = true
      enqueue(.readKnownDevices)
    }
    let timeout = OperatorError.invalid(
      field: "request",
      reason: "BlueZ has not said in time which devices it knows; try again, or restart bluetoothd")
    return .stream(
      DeferredCall(
        method: call.method, parameters: call.parameters,
        end: now.advanced(milliseconds: Self.knownDevicesMilliseconds),
        timeout: timeout.message))
  }

  /// The shell has read the devices that BlueZ knows, as ``Action/readKnownDevices`` asked.
  public func knownDevicesWereRead(_ devices: KnownDevices, at time: Instant) {
    turn.advance(to: time)
    setupLink.knownDevices.devices = devices
    // Where bluetoothd does not run, its folder was read, whose bonds no program uses.
    if !isBluetoothdRunning { setupLink.knownDevices.devices.bonded = [] }
    setupLink.knownDevices.readAt = now
    setupLink.knownDevices.isBeingRead = false
    follow(setupCore.advance(to: now))
    if !setupCore.isOpening { startDeferredCalls() }
    performSetupEffects()
  }
}
