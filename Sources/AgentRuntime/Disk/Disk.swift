// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry
import RegistryStore

/// What is done on the disk worker's thread.
struct Disk: Sendable {
  enum Request: Sendable {
    case readConfiguration
    case registry(RegistryRequest)
  }

  enum Reply: Sendable {
    case configuration(Result<ConfigurationReader.Result, StartFailure>)
    case registry(RegistryReply)
  }

  /// The registry's file, for people.
  let registryPath: String
  let answer: @Sendable (Request) -> Reply

  init(registryPath: String, answer: @escaping @Sendable (Request) -> Reply) {
    self.registryPath = registryPath
    self.answer = answer
  }

  /// The real one.
  init(_ reader: ConfigurationReader, _ folder: StateFolder) {
    let keeper = RegistryKeeper(path: folder.registry, owners: [0, ThisProcess.user])
    self.init(registryPath: folder.registry) { request in
      switch request {
      case .readConfiguration:
        .configuration(Result { () throws(StartFailure) in try reader.read() })
      case .registry(let request): .registry(Self.answer(request, keeper, folder))
      }
    }
  }

  private static func answer(
    _ request: RegistryRequest, _ keeper: RegistryKeeper, _ folder: StateFolder
  ) -> RegistryReply {
    if request == .open {
      do throws(SystemError) { try folder.make() } catch {
        return .refused(.failed(RegistryStoreError(error)))
      }
    }
    return keeper.answer(request)
  }
}

/// The folder of what the agent remembers: the registry's file.
struct StateFolder: Equatable, Sendable {
  static let usual = "/var/lib/accessoryd"

  let path: String

  /// What the command line names, or the service manager made (`STATE_DIRECTORY`, systemd.exec(5): several are parted
  /// by colons), or the usual one.
  init(named option: String?, given: String?) {
    let first = given?.split(separator: ":").first.map(String.init)
    path = option ?? first ?? Self.usual
  }

  var registry: String { path + "/registry.sqlite" }

  /// Makes the folder, in one that is there, for the agent's account alone.
  func make() throws(SystemError) { try DurableFile.makeFolder(path) }
}
