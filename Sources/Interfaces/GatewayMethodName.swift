// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// The methods of ``GatewayInterface``.
public enum GatewayMethodName: String, ServedMethod {
  case status = "io.accessoryd.Gateway.Status"
  case metrics = "io.accessoryd.Gateway.Metrics"
  case sightings = "io.accessoryd.Gateway.Sightings"
  case watch = "io.accessoryd.Gateway.Watch"
  case explain = "io.accessoryd.Gateway.Explain"
  case `try` = "io.accessoryd.Gateway.Try"
  case suggest = "io.accessoryd.Gateway.Suggest"
  case capture = "io.accessoryd.Gateway.Capture"
  case reload = "io.accessoryd.Gateway.Reload"

  public var replies: ReplyCount {
    switch self {
    case .status, .metrics, .reload: .one
    case .sightings, .watch, .explain, .try, .suggest, .capture: .many
    }
  }
}
