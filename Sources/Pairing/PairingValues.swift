// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import Registry
@_exported public import Values

/// Names a pairing.
public struct PairingID: Hashable, Sendable {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }
}

/// What a person at the gateway can do during a pairing (Core Specification 5.4, Volume 3, Part H, 2.3.2); the raw values
/// are those of the kernel's management interface.
public enum IOCapability: UInt8, Sendable {
  case displayOnly = 0
  case displayYesNo = 1
  case keyboardOnly = 2
  /// No person is there, or none can read or type numbers.
  case none = 3
  case keyboardDisplay = 4
}

/// A device to pair with.
public struct PairingRequest: Equatable, Sendable {
  /// How long a pairing may take, a person's answer included.
  public static let milliseconds: Int64 = 60_000

  public let id: PairingID
  /// The address that the device advertises from, or its identity if that is known.
  public let device: DeviceAddress
  public let capability: IOCapability
  /// The bond has to be authenticated; one that is not is undone.
  public let demandsAuthentication: Bool
  /// The device is an input device, which only bluetoothd can serve.
  public let isInputDevice: Bool
  /// A bond that the gateway or bluetoothd still has with the device is removed first, because the device lost it.
  public let replacesBond: Bool

  public init(
    _ id: PairingID, _ device: DeviceAddress, _ capability: IOCapability, demandsAuthentication: Bool = false,
    isInputDevice: Bool = false, replacesBond: Bool = false
  ) {
    (self.id, self.device, self.capability) = (id, device, capability)
    (self.demandsAuthentication, self.isInputDevice) = (demandsAuthentication, isInputDevice)
    self.replacesBond = replacesBond
  }
}

/// What a person at the gateway is asked during a pairing.
public enum PairingQuestion: Equatable, Sendable {
  /// Does the device show these six digits?
  case compare(UInt32)
  /// Which six digits does the device show?
  case enterDigits
  /// These six digits have to be typed at the device; there is nothing to answer.
  case showDigits(UInt32)
}

public enum PairingAnswer: Equatable, Sendable {
  /// The digits are the same, or they are not.
  case digitsMatch(Bool)
  /// The digits that the device shows, below 1,000,000.
  case digits(UInt32)
}

/// What a setup asks of the pairings.
public enum PairingCommand: Equatable, Sendable {
  case pair(PairingRequest)
  /// Passes on a person's answer.
  case answer(PairingID, PairingAnswer)
  case cancel(PairingID)
  /// Removes the bond of the device with this identity: its last accessory was removed, or its setup failed after the
  /// pairing.
  case unpair(DeviceAddress, BondOwner)
  /// bluetoothd is not to remove its bond with this device any longer: the device is an accessory again.
  case keepBond(DeviceAddress)
}

/// A device that was paired.
public struct PairedDevice: Equatable, Sendable {
  /// The device's identity address, of the type `public` or `random`.
  public let identity: DeviceAddress
  public let record: BondRecord
  public let method: PairingMethod
}

/// What a pairing backend has to do, in order.
public enum PairingAction: Equatable, Sendable {
  /// Ask the person; a later question of the same pairing replaces it.
  case ask(PairingID, PairingQuestion)
  /// The pairing is over.
  case ended(PairingID, Result<PairedDevice, PairingError>)
  /// The bond with the device of this identity is lost.
  case bondWasLost(DeviceAddress)
  /// bluetoothd is to remove its bond with this device. It may take long, and the agent may end before. A bond that a
  /// pairing makes is to be removed until an accessory has it.
  case removalWaits(DeviceAddress)
  /// The same bond is removed, or is not to be removed any longer.
  case removalEnded(DeviceAddress)
  /// A pairing that another party began was refused; for the log and a counter.
  case foreignAttemptRefused(DeviceAddress)
  /// The kernel rejected keys of bonds, or a setting that pairings want; for the log and a counter.
  case commandWasRejected(MgmtOpcode, MgmtStatus)
  /// A message over the bus was ignored; for the log.
  case busMessageWasIgnored(BusMessageError)
}
