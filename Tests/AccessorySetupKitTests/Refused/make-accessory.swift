// SPDX-License-Identifier: GPL-3.0-or-later

// error: 'ASAccessory' initializer is inaccessible

import AccessorySetupKit

let accessory = ASAccessory()
