// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Varlink

/// A method that the agent serves: an entry of the dispatcher's table.
struct AgentMethod: ServedMethod, Equatable {
  /// The dispatcher's table: every method of every interface.
  static let implementations: [any Method.Type] = [
    // io.accessoryd.Gateway
    StatusMethod.self,
    MetricsMethod.self,
    SightingsMethod.self,
    NetworksMethod.self,
    WatchMethod.self,
    ItemsMethod.self,
    InspectMethod.self,
    CaptureMethod.self,
    WatchReportsMethod.self,
    ReloadMethod.self,

    // io.accessoryd.Session
    ActivateMethod.self,
    InvalidateMethod.self,
    ListAppAccessoriesMethod.self,
    ShowPickerMethod.self,
    UpdatePickerMethod.self,
    FinishPickerDiscoveryMethod.self,
    CancelPickerMethod.self,
    RenameAppAccessoryMethod.self,
    RemoveAppAccessoryMethod.self,
    FinishAuthorizationMethod.self,
    FailAuthorizationMethod.self,
    UpdateAuthorizationMethod.self,
    WatchAdvertisementsMethod.self,
    ResolveMethod.self,
    ConnectMethod.self,
    ReadRSSIMethod.self,

    // io.accessoryd.Operator
    WatchRequestsMethod.self,
    ChooseMethod.self,
    DenyMethod.self,
    CancelMethod.self,
    NameMethod.self,
    AgreeMethod.self,
    OpenMethod.self,
    ListAccessoriesMethod.self,
    RenameMethod.self,
    RemoveMethod.self,
    AllowMethod.self,
    AuthorizeMethod.self,
    RegistryMethod.self,
    ExportMethod.self,
    ImportMethod.self,
    ImportBondMethod.self,
    ResetMethod.self,
    DisconnectMethod.self,
    AnswerPairingMethod.self,
    PairMethod.self,
  ]

  static let allCases = implementations.map(Self.init)

  private static let methodsByName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The interfaces that only operators may call.
  static let operatorInterfaces: Set = [GatewayInterface.name, OperatorInterface.name]

  let implementation: any Method.Type

  private init(_ implementation: any Method.Type) { self.implementation = implementation }

  /// The method of a whole name.
  init?(rawValue: String) {
    guard let method = Self.methodsByName[rawValue] else { return nil }
    self = method
  }

  var rawValue: String { implementation.wholeName }
  var replies: ReplyCount { implementation.replies }

  static func == (one: Self, other: Self) -> Bool { one.implementation == other.implementation }
}
