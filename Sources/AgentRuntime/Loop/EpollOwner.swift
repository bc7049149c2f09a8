// SPDX-License-Identifier: GPL-3.0-or-later

import Agent

/// Who stands behind a descriptor that the loop watches.
enum EpollOwner: Sendable {
  case signals, timer, listener, disk, devices, radio, management, touch
  case client(ClientID)
}
