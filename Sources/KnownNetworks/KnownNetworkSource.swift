// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem

/// Where the networks that this machine knows are read: the stores of NetworkManager, wpa_supplicant and iwd. Only root
/// may read them.
public struct KnownNetworkSource: Equatable, Sendable {
  /// A store that is there and could not be read, or not all of it; or a root that cannot be read.
  public struct Problem: Equatable, Sendable {
    public enum Cause: Equatable, Sendable {
      case file(FileError)
      /// A network's name cannot be read.
      case damaged
    }

    public let path: String
    public let cause: Cause

    /// What is wrong, as a sentence. It has nothing of the file, which has keys.
    public var sentence: String {
      switch cause {
      case .file(.system(let error)): "\(path) cannot be read: \(error.reason)"
      case .file(.isDirectory): "\(path) cannot be read: it is a folder"
      case .file(.isNotOrdinary): "\(path) cannot be read: it is no ordinary file"
      case .file(.tooLarge(let byteCountMax)):
        "\(path) cannot be read: it is larger than \(byteCountMax >> 10) KiB"
      case .damaged: "\(path) is damaged: it has a network whose name cannot be read"
      }
    }
  }

  /// What the stores hold.
  public struct Contents: Equatable, Sendable {
    /// In the order of their names, each once for each store.
    public var networks: [KnownNetwork] = []
    public var problems: [Problem] = []
  }

  /// A profile or a configuration is far below.
  private static let byteCountMax = 1 << 18
  private static let networkManagerFolders = [
    "/etc/NetworkManager/system-connections", "/run/NetworkManager/system-connections",
    "/usr/lib/NetworkManager/system-connections",
  ]
  private static let wpaSupplicantFolder = "/etc/wpa_supplicant"
  private static let iwdFolder = "/var/lib/iwd"

  /// What stands before the folders' paths: empty for this machine.
  public var root: String

  public init(root: String = "") { self.root = root }

  /// Reads the stores. One that is not there has nothing; one that cannot be read is a problem, and loses nothing else.
  public func read() -> Contents {
    var contents = Contents()
    if !root.isEmpty {
      do throws(SystemError) { _ = try FolderContents.names(in: root) } catch {
        contents.problems.append(Problem(path: root, cause: .file(.system(error))))
        return contents
      }
    }
    for folder in Self.networkManagerFolders {
      for file in files(in: folder, &contents) where file.hasSuffix(".nmconnection") {
        let path = root + "\(folder)/\(file)"
        if let bytes = bytes(of: path, &contents) {
          contents.add(NetworkManagerProfile.names(in: bytes), of: .networkManager, path)
        }
      }
    }
    for file in files(in: Self.wpaSupplicantFolder, &contents)
    where file.hasPrefix("wpa_supplicant") && file.hasSuffix(".conf") {
      let path = root + "\(Self.wpaSupplicantFolder)/\(file)"
      if let bytes = bytes(of: path, &contents) {
        contents.add(WPASupplicantFile.names(in: bytes), of: .wpaSupplicant, path)
      }
    }
    for file in files(in: Self.iwdFolder, &contents) {
      contents.add(HexadecimalName.names(ofIWDFile: file), of: .iwd, root + "\(Self.iwdFolder)/\(file)")
    }
    contents.networks.sort { one, other in
      one.ssid == other.ssid
        ? one.store.rawValue < other.store.rawValue : one.ssid.lexicographicallyPrecedes(other.ssid)
    }
    return contents
  }

  private func files(in folder: String, _ contents: inout Contents) -> [String] {
    do throws(SystemError) { return try FolderContents.names(in: root + folder) } catch {
      if !error.isMissing {
        contents.problems.append(Problem(path: root + folder, cause: .file(.system(error))))
      }
      return []
    }
  }

  private func bytes(of path: String, _ contents: inout Contents) -> [UInt8]? {
    do throws(FileError) {
      return try FileContents(ofFile: path, byteCountMax: Self.byteCountMax).bytes
    } catch {
      contents.problems.append(Problem(path: path, cause: .file(error)))
      return nil
    }
  }
}

extension KnownNetworkSource.Contents {
  fileprivate mutating func add(_ stored: StoredNames, of store: KnownNetwork.Store, _ path: String) {
    for name in stored.names {
      guard let network = KnownNetwork(ssid: name, store: store), !networks.contains(network) else {
        continue
      }
      networks.append(network)
    }
    if stored.isDamaged { problems.append(KnownNetworkSource.Problem(path: path, cause: .damaged)) }
  }
}
