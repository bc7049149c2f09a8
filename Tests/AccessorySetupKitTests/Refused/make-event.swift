// SPDX-License-Identifier: GPL-3.0-or-later

// error: 'ASAccessoryEvent' initializer is inaccessible

import AccessorySetupKit

let event = ASAccessoryEvent()
