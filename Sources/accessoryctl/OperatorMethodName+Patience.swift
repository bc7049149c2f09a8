// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

extension OperatorMethodName {
  /// How long the reply may take: what the interface says, and 2 s for the way.
  var patienceSeconds: Int {
    switch self {
    case .watch, .deny, .cancel, .open, .list, .registry, .export: GatewayConnection.patienceSeconds
    case .name, .agree, .rename, .remove, .allow, .authorize, .import, .reset: 32
    case .choose: 92
    }
  }
}
