// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import Glibc
import Interfaces
import LinuxSystem

/// The program `accessory-web`.
@main
enum Program {
  static func main() {
    ResidentMemory.keepHeapSmall()
    exit(
      BridgeProgram.run("accessory-web") { (options: Options) throws(ProgramError) in
        try Server(options).run()
      }.rawValue)
  }
}
