// SPDX-License-Identifier: Apache-2.0

public import Varlink

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

  public var replies: ReplyCount {
    switch self {
    case .watch, .open, .list, .registry, .export: .many
    case .choose, .deny, .cancel, .name, .agree, .rename, .remove, .allow, .authorize, .import, .reset: .one
    }
  }
}
