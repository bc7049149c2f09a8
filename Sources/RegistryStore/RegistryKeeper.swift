// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry
import Synchronization

/// Executes requests to the registry's file, one after the other, on the disk worker's thread.
public final class RegistryKeeper: Sendable {
  private let path: String
  private let files: any RegistryFiles
  private let owners: Set<UInt32>?
  private let schema: Schema
  private let file = Mutex<RegistryFile?>(nil)

  /// `owners` are the users who may own the file; nil accepts any owner.
  public convenience init(
    path: String, files: any RegistryFiles = SystemFiles(), owners: Set<UInt32>? = nil
  ) {
    self.init(path: path, files: files, owners: owners, schema: .current)
  }

  package init(path: String, files: any RegistryFiles, owners: Set<UInt32>?, schema: Schema) {
    (self.path, self.files, self.owners, self.schema) = (path, files, owners, schema)
  }

  public func execute(_ request: RegistryRequest) -> RegistryReply {
    file.withLock { file in
      switch request {
      case .open: open(&file)
      case .commit(let writes):
        write(&file) { (file: borrowing RegistryFile) throws(RegistryStoreError) in try file.commit(writes) }
      case .replace(let registry):
        write(&file) { (file: borrowing RegistryFile) throws(RegistryStoreError) in
          try file.replace(with: registry)
        }
      case .reset: reset(&file)
      case .close: close(&file)
      }
    }
  }

  private func open(_ file: inout RegistryFile?) -> RegistryReply {
    file = nil
    do throws(RegistryOpenError) {
      let paths = try RegistryPaths(resolving: path, files, owners: owners)
      if try RegistryFile.facts(of: paths.file, files) == nil {
        try RegistryFile.create(paths, files, schema)
      }
      try RegistryFile.requireProtection(paths, files, owners)
      // A file that another process writes may look damaged.
      guard !files.isLocked(paths.file) else { throw .failed(.locked) }
      let registry = try RegistryImage.read(paths.file, files, schema)
      do throws(RegistryOpenError) {
        file = try RegistryFile.open(paths.file, files, schema: schema)
      } catch {
        // What another process has open changes without notice.
        guard let failure = error.failure, failure != .locked else { throw error }
        return .readable(registry, failure)
      }
      return .opened(registry)
    } catch {
      return .refused(error)
    }
  }

  private func write(
    _ file: inout RegistryFile?, _ body: (borrowing RegistryFile) throws(RegistryStoreError) -> Void
  ) -> RegistryReply {
    guard let opened = file.take() else { return .failed(.closed, isOpen: false) }
    do throws(RegistryStoreError) {
      try body(opened)
      file = consume opened
      return .done
    } catch {
      // After an error of the disk its state is unknown: the file is read again before it is written.
      if error.leavesOpen { file = consume opened }
      return .failed(error, isOpen: error.leavesOpen)
    }
  }

  private func reset(_ file: inout RegistryFile?) -> RegistryReply {
    file = nil
    let paths: RegistryPaths
    do throws(RegistryOpenError) { paths = try RegistryPaths(resolving: path, files, owners: owners) } catch {
      return .refused(error)
    }
    do throws(RegistryStoreError) {
      let kept = try RegistryReset.run(paths, files, schema)
      if case .refused(let refusal) = open(&file) { return .refused(refusal) }
      return .reset(kept: kept)
    } catch {
      return .failed(error, isOpen: false)
    }
  }

  private func close(_ file: inout RegistryFile?) -> RegistryReply {
    file = nil
    return .closed
  }
}
