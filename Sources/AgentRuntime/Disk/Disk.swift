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
