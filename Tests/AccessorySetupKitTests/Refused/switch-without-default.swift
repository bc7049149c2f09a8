// SPDX-License-Identifier: GPL-3.0-or-later

// error: switch covers known cases, but 'ASDiscoveryDescriptor.Range' may have additional unknown values

import AccessorySetupKit

func describe(_ range: ASDiscoveryDescriptor.Range) -> String {
  switch range {
  case .default: "everywhere"
  case .immediate: "at the gateway"
  }
}
