// SPDX-License-Identifier: Apache-2.0

public import Varlink

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

  public var replies: ReplyCount {
    switch self {
    case .activate, .list, .watchAdvertisements: .many
    case .invalidate, .showPicker, .updatePicker, .finishPickerDiscovery, .cancelPicker, .renameAccessory,
      .removeAccessory, .finishAuthorization, .failAuthorization, .updateAuthorization, .resolve:
      .one
    }
  }
}
