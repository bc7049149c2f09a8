// SPDX-License-Identifier: GPL-3.0-or-later

import Varlink

/// The methods of ``PickerInterface``.
enum PickerMethod: String, ServedMethod {
  case watch = "io.accessoryd.Picker.Watch"
  case choose = "io.accessoryd.Picker.Choose"
  case deny = "io.accessoryd.Picker.Deny"
  case cancel = "io.accessoryd.Picker.Cancel"
  case name = "io.accessoryd.Picker.Name"
  case agree = "io.accessoryd.Picker.Agree"
  case open = "io.accessoryd.Picker.Open"
  case list = "io.accessoryd.Picker.List"
  case rename = "io.accessoryd.Picker.Rename"
  case remove = "io.accessoryd.Picker.Remove"
  case allow = "io.accessoryd.Picker.Allow"
  case authorize = "io.accessoryd.Picker.Authorize"
  case registry = "io.accessoryd.Picker.Registry"
  case export = "io.accessoryd.Picker.Export"
  case `import` = "io.accessoryd.Picker.Import"
  case reset = "io.accessoryd.Picker.Reset"

  var replies: ReplyCount {
    switch self {
    case .watch, .open, .list, .registry, .export: .many
    case .choose, .deny, .cancel, .name, .agree, .rename, .remove, .allow, .authorize, .import, .reset: .one
    }
  }
}
