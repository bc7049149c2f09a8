// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What a manifest can mean that we do not accept, or doubt.
public enum ManifestProblem: Equatable, Sendable {
  case clauses(Clauses)
  case setup(Setup)
  case undeclared(Declaration)
  case contradiction(Contradiction)
  /// The kernel shows every user that it cannot name as this one.
  case overflowAccount(App.Account)
  case doubt(Doubt)

  /// Whether the manifest is refused for it.
  public var isError: Bool {
    if case .doubt = self { return false }
    return true
  }

  /// Clauses of a descriptor that cannot stand like this.
  public enum Clauses: Equatable, Sendable {
    case none
    case nameAlone
    case manufacturerDataWithoutCompanyIdentifier
    case serviceDataWithoutServiceUUID
    case compareOptionsWithoutName
    case bothNetworkNames
    case needBluetooth(DescriptorKey)
    case notForAlternate(DescriptorKey)
  }

  /// Ways of an item that do not work.
  public enum Setup: Equatable, Sendable {
    case weakForSelection(DisplayItem.Selection)
    case touchWithoutImmediateRange
    case repeatedItem(id: String, first: ManifestKeyPath)
  }

  /// What a descriptor uses and its app does not declare.
  public enum Declaration: Equatable, Sendable {
    case companyIdentifier(UInt16)
    case service(BluetoothUUID)
    case name(String)
    case technology(App.Technology)
  }

  /// A number that another one forbids; `key` is the other one's.
  public enum Contradiction: Equatable, Sendable {
    case below(key: String, value: Int, least: Int)
    case above(key: String, value: Int, most: Int)
  }

  /// What is accepted and probably not meant.
  public enum Doubt: Equatable, Sendable {
    case unknownAccount(App.Account)
    case broad(DescriptorKey)
    case maskComparesNothing
    case blobNeverFits(byteCount: Int, byteCountMax: Int)
    case nameNeverFits(byteCount: Int, byteCountMax: Int)
    case blobBeginsWithItsKey
    case noWiFiInterface
    case nameWithPassiveScan
    case overlap(DescriptorOverlap, app: String, id: String)
    case lowEnergyOnly(String)
    case noEffect(NoEffect)
  }

  /// Why a setting changes nothing.
  public enum NoEffect: Equatable, Sendable {
    /// The item is only observed.
    case observed
    /// Only the immediate range has this gate.
    case notImmediate
    /// The immediate range loses a device by the gate.
    case immediate
    /// Path losses decide once `tx-power` is given.
    case txPowerGiven
    /// Path losses decide only once `tx-power` is given.
    case txPowerMissing
    /// Nothing is renamed.
    case noRename
    /// There is no SSID to rename.
    case noSSID
    /// Without `anchored` a substring is the same from either end.
    case notAnchored
  }
}
