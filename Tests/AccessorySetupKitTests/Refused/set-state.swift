// SPDX-License-Identifier: GPL-3.0-or-later

// error: cannot assign to property: 'displayName' is a get-only property

import AccessorySetupKit

func change(_ accessory: ASAccessory) { accessory.displayName = "new" }
