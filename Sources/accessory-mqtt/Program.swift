// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import BrokerFeed
import Glibc
import Interfaces
import LinuxSystem
import MQTTBridge
import MQTTFormat
import ManifestFormat

/// The program `accessory-mqtt`.
@main
enum Program {
  static func main() { exit(BridgeProgram.run("accessory-mqtt", performCommand).rawValue) }

  private static func performCommand(_ options: Options) throws(ProgramError) {
    let file = ConfigurationFile(path: options.config, of: "accessory-mqtt")
    let reading = MQTTConfigurationReader.read(text: try file.contents(), fileName: options.config)
    switch options.command {
    case .run:
      for line in reading.lines { BridgeLog().say(.warning, line) }
      guard let configuration = reading.value else { throw file.hasErrors }
      try Server(options, file, configuration).run()
    case .check:
      try file.check(
        isReadable: reading.value != nil, lines: reading.lines,
        files: reading.value?.broker.certificates?.files ?? [])
    }
  }
}
