// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import Glibc
import Interfaces
import LinuxSystem
import MQTTBridge
import ManifestFormat

/// The program `accessory-mqtt`.
@main
enum Program {
  static func main() { exit(BridgeProgram.run("accessory-mqtt", performCommand).rawValue) }

  private static func performCommand(_ options: Options) throws(ProgramError) {
    let reading = try ConfigurationFile(path: options.config).read()
    switch options.command {
    case .run:
      for line in reading.lines { BridgeLog().say(.warning, line) }
      guard let configuration = reading.value else { throw errors(in: options.config) }
      try Server(options, configuration).run()
    case .check:
      let missing = reading.value.map(ConfigurationFile.unreadable) ?? []
      for line in reading.lines + missing { print(line) }
      guard reading.value != nil, missing.isEmpty else { throw errors(in: options.config) }
      print("\(options.config): no errors")
    }
  }

  private static func errors(in path: String) -> ProgramError {
    .failure(.dataError, "\(path) has errors; correct them, and try accessory-mqtt check")
  }
}
