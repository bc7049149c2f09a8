// SPDX-License-Identifier: GPL-3.0-or-later

import AgentRuntime
import Glibc

exit(AgentProgram.run(CommandLine.arguments))
