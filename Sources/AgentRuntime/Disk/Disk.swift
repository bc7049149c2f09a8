// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry
import RegistryStore

/// The requests of the disk worker's thread, and how it performs them.
struct Disk: Sendable {
  enum Request: Sendable {
    case readConfiguration
    case registry(RegistryRequest)
  }

  enum Reply: Sendable {
    case configuration(Result<ConfigurationReader.Result, StartError>)
    case registry(RegistryReply)
  }

  /// The path of the registry's file, for messages.
  let registryPath: String
  let perform: @Sendable (Request) -> Reply

  init(registryPath: String, perform: @escaping @Sendable (Request) -> Reply) {
    self.registryPath = registryPath
    self.perform = perform
  }

  /// The disk of this machine.
  init(_ reader: ConfigurationReader, _ folder: StateFolder) {
    let keeper = RegistryKeeper(path: folder.registry, owners: [0, ThisProcess.user])
    self.init(registryPath: folder.registry) { request in
      switch request {
      case .readConfiguration:
        .configuration(Result { () throws(StartError) in try reader.read() })
      case .registry(let request): .registry(Self.performRequest(request, keeper, folder))
      }
    }
  }

  private static func performRequest(
    _ request: RegistryRequest, _ keeper: RegistryKeeper, _ folder: StateFolder
  ) -> RegistryReply {
    if request == .open {
      do throws(SystemError) { try folder.make() } catch {
        return .refused(.failed(RegistryStoreError(error)))
      }
    }
    return keeper.execute(request)
  }
}

/// The folder of the agent's state: the registry's file.
struct StateFolder: Equatable, Sendable {
  static let usual = "/var/lib/accessoryd"

  let path: String

  /// The folder that the command line names, else the first that the service manager made (`STATE_DIRECTORY`,
  /// systemd.exec(5), which separates several with colons), else the usual one.
  init(named option: String?, given: String?) {
    let first = given?.split(separator: ":").first.map(String.init)
    path = option ?? first ?? Self.usual
  }

  var registry: String { path + "/registry.sqlite" }

  /// Makes the folder, whose parent must exist, for the agent's account alone.
  func make() throws(SystemError) { try DurableFile.makeFolder(path) }
}
