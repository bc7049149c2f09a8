// SPDX-License-Identifier: GPL-3.0-or-later

// Compiles: the control of the files beside it.

import AccessorySetupKit

let session = ASAccessorySession()
let item = ASPickerDisplayItem(name: "Dice", productImage: UIImage(), descriptor: ASDiscoveryDescriptor())
