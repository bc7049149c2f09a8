// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import BrokerFeed
import Glibc
import LinuxSystem
import ManifestFormat
import NATSBridge
import NATSFormat

/// The program `accessory-nats`.
@main
enum Program {
  static func main() { exit(BridgeProgram.run("accessory-nats", performCommand).rawValue) }

  private static func performCommand(_ options: Options) throws(ProgramError) {
    let file = ConfigurationFile(path: options.config, of: "accessory-nats")
    let reading = NATSConfigurationReader.read(text: try file.contents(), fileName: options.config)
    switch options.command {
    case .run:
      for line in reading.lines { BridgeLog().say(.warning, line) }
      guard let configuration = reading.value else { throw file.hasErrors }
      try Server(options, file, configuration).run()
    case .check:
      try file.check(
        isReadable: reading.value != nil, lines: reading.lines,
        files: reading.value?.server.certificates?.files ?? [])
    }
  }
}
