// SPDX-License-Identifier: GPL-3.0-or-later

import AgentRuntime
import Glibc

exit(VirtualControllerProgram.run(CommandLine.arguments))
