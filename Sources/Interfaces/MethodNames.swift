// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// The methods of ``GatewayInterface``.
public enum GatewayMethodName: String, ServedMethod {
  case status = "io.accessoryd.Gateway.Status"
  case metrics = "io.accessoryd.Gateway.Metrics"
  case sightings = "io.accessoryd.Gateway.Sightings"
  case networks = "io.accessoryd.Gateway.Networks"
  case watch = "io.accessoryd.Gateway.Watch"
  case explain = "io.accessoryd.Gateway.Explain"
  case `try` = "io.accessoryd.Gateway.Try"
  case suggest = "io.accessoryd.Gateway.Suggest"
  case capture = "io.accessoryd.Gateway.Capture"
  case reload = "io.accessoryd.Gateway.Reload"

  public var replies: ReplyCount {
    switch self {
    case .status, .metrics, .reload: .one
    case .sightings, .networks, .watch, .explain, .try, .suggest, .capture: .many
    }
  }
}

/// The methods of ``OperatorInterface``.
public enum OperatorMethodName: String, ServedMethod {
  case watch = "io.accessoryd.Operator.Watch"
  case choose = "io.accessoryd.Operator.Choose"
  case deny = "io.accessoryd.Operator.Deny"
  case cancel = "io.accessoryd.Operator.Cancel"
  case name = "io.accessoryd.Operator.Name"
  case agree = "io.accessoryd.Operator.Agree"
  case open = "io.accessoryd.Operator.Open"
  case list = "io.accessoryd.Operator.List"
  case rename = "io.accessoryd.Operator.Rename"
  case remove = "io.accessoryd.Operator.Remove"
  case allow = "io.accessoryd.Operator.Allow"
  case authorize = "io.accessoryd.Operator.Authorize"
  case registry = "io.accessoryd.Operator.Registry"
  case export = "io.accessoryd.Operator.Export"
  case `import` = "io.accessoryd.Operator.Import"
  case reset = "io.accessoryd.Operator.Reset"
  case disconnect = "io.accessoryd.Operator.Disconnect"
  case answerPairing = "io.accessoryd.Operator.AnswerPairing"
  case pair = "io.accessoryd.Operator.Pair"
  case importBond = "io.accessoryd.Operator.ImportBond"

  public var replies: ReplyCount {
    switch self {
    case .watch, .open, .list, .registry, .export, .pair: .many
    case .choose, .deny, .cancel, .name, .agree, .rename, .remove, .allow, .authorize, .import, .reset,
      .disconnect, .answerPairing, .importBond:
      .one
    }
  }
}

/// The methods of ``SessionInterface``.
public enum SessionMethodName: String, ServedMethod {
  case activate = "io.accessoryd.Session.Activate"
  case invalidate = "io.accessoryd.Session.Invalidate"
  case list = "io.accessoryd.Session.List"
  case showPicker = "io.accessoryd.Session.ShowPicker"
  case updatePicker = "io.accessoryd.Session.UpdatePicker"
  case finishPickerDiscovery = "io.accessoryd.Session.FinishPickerDiscovery"
  case cancelPicker = "io.accessoryd.Session.CancelPicker"
  case renameAccessory = "io.accessoryd.Session.RenameAccessory"
  case removeAccessory = "io.accessoryd.Session.RemoveAccessory"
  case finishAuthorization = "io.accessoryd.Session.FinishAuthorization"
  case failAuthorization = "io.accessoryd.Session.FailAuthorization"
  case updateAuthorization = "io.accessoryd.Session.UpdateAuthorization"
  case watchAdvertisements = "io.accessoryd.Session.WatchAdvertisements"
  case resolve = "io.accessoryd.Session.Resolve"
  case connect = "io.accessoryd.Session.Connect"
  case readRSSI = "io.accessoryd.Session.ReadRSSI"

  public var replies: ReplyCount {
    switch self {
    case .activate, .list, .watchAdvertisements: .many
    case .invalidate, .showPicker, .updatePicker, .finishPickerDiscovery, .cancelPicker, .renameAccessory,
      .removeAccessory, .finishAuthorization, .failAuthorization, .updateAuthorization, .resolve, .connect,
      .readRSSI:
      .one
    }
  }
}
