// SPDX-License-Identifier: GPL-3.0-or-later

// Writes the demonstration's capture to standard output:
//
//     swift run make-demo-capture > Config/demo-room.btsnoop

import LinuxSystem

var output = OutputFile.standardOutput()
try output.write(DemoCapture.bytes())
try output.flush()
