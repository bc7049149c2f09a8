// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import ReplayCore

exit(ReplayCore.run())
