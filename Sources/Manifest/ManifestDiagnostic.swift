// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A rule that a manifest breaks, or a setting that probably does not do what was meant, and where it is.
public struct ManifestDiagnostic: Equatable, Sendable {
  public let path: ManifestKeyPath
  public let kind: Kind

  public init(path: ManifestKeyPath, kind: Kind) {
    self.path = path
    self.kind = kind
  }

  public enum Kind: Equatable, Sendable {
    case clauses(Clauses)
    case setup(Setup)
    case undeclared(Declaration)
    case contradiction(Contradiction)
    /// The account that the kernel shows in place of every user that it cannot name.
    case overflowAccount(App.Account)
    case warning(Warning)

    /// Whether the manifest is refused because of it.
    public var isError: Bool {
      if case .warning = self { return false }
      return true
    }
  }

  /// A combination of clauses that a descriptor may not have.
  public enum Clauses: Equatable, Sendable {
    case none
    /// Only items whose accessories an operator chooses, or that are only observed, may have a name alone. This one has
    /// another selection, or is no item of the manifest (nil).
    case nameAlone(DisplayItem.Selection?)
    /// As for a name.
    case addressAlone(DisplayItem.Selection?)
    case manufacturerDataWithoutCompanyIdentifier
    case serviceDataWithoutServiceUUID
    case compareOptionsWithoutName
    case bothNetworkNames
    case needBluetooth(DescriptorKey)
    case notForAlternate(DescriptorKey)
  }

  /// A way of setting up an item that cannot work.
  public enum Setup: Equatable, Sendable {
    case weakForSelection(DisplayItem.Selection)
    case touchWithoutImmediateRange
    /// A network is not held at the gateway.
    case touchOfNetwork
    /// Every access point can take a name that begins like the item's.
    case automaticByPrefix
    /// `pairing` of an item whose devices are not paired.
    case pairingWithoutOption
    /// Touch and automatic setup have no person who could compare or type digits.
    case pairingWithoutPerson(DisplayItem.Selection)
    case repeatedItem(id: String, first: ManifestKeyPath)
  }

  /// A value that a descriptor uses and its app does not declare.
  public enum Declaration: Equatable, Sendable {
    case companyIdentifier(UInt16)
    case service(BluetoothUUID)
    case name(String)
    case technology(App.Technology)
  }

  /// A number that the value of another key rules out; `key` is the other key.
  public enum Contradiction: Equatable, Sendable {
    case below(key: String, value: Int, least: Int)
    case above(key: String, value: Int, most: Int)
  }

  /// A setting that is accepted but probably a mistake.
  public enum Warning: Equatable, Sendable {
    case unknownAccount(App.Account)
    case broad(DescriptorKey)
    /// What a name without a company or service costs; `isIndexed` for one that is looked up instead of searched.
    case costOfName(isIndexed: Bool)
    /// What the prefix of an address without a company or service costs.
    case costOfAddress
    case maskComparesNothing
    /// The devices send only on an event, and the board listens part of the time.
    case missesEvents(listeningPercent: Int)
    /// The devices send only on an event, and the item does not wait for the next.
    case losesBetweenEvents(GateKey)
    /// The item waits for devices that sleep between bursts, and lets in only those whose bursts are as long.
    case lastsLongerThanBursts(milliseconds: Int)
    case blobNeverFits(byteCount: Int, byteCountMax: Int)
    case nameNeverFits(byteCount: Int, byteCountMax: Int)
    case blobBeginsWithItsKey
    /// A star, which stands for itself; `key` is what finds every name that begins with the text before it.
    case star(isAtEnd: Bool, key: DescriptorKey)
    /// A network's name as text that may have been escaped.
    case backslashInSSID(DescriptorKey)
    /// The item is found by its network, and the gateway has no interface to look for networks with.
    case wifiInterfaceMissing
    /// The network's name is that of every network that hides its own.
    case hiddenNetwork
    /// The item has Wi-Fi Aware properties alone, which nothing searches.
    case onlyWiFiAware
    /// No app may look for networks.
    case wifiInterfaceUnused
    case nameWithPassiveScan
    case overlap(DescriptorOverlap, app: String, id: String)
    /// The item's devices are paired, which is refused in exclusive access.
    case pairingInExclusiveAccess
    /// An option that takes effect only in a pairing.
    case optionWithoutPairing(String)
    case noEffect(NoEffect)
  }

  /// Why a setting changes nothing.
  public enum NoEffect: Equatable, Sendable {
    /// The item is only observed.
    case observed
    /// Only items of the immediate range have this gate.
    case notImmediate
    /// Items of the immediate range are lost by their gate.
    case immediate
    /// With `tx-power`, path losses decide.
    case txPowerGiven
    /// Without `tx-power`, path losses do not decide.
    case txPowerMissing
    /// The item's setup options do not allow renaming.
    case noRename
    /// The item has no SSID to rename.
    case noSSID
    /// The item's network was found, so that its name is known.
    case networkFound
    /// Without `anchored`, a substring is the same from either end.
    case notAnchored
  }
}
