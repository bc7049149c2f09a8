// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat
import WebPage

/// The manifest, which the page shows and never writes, and drafts of it.
///
/// Capacity: ``countMax`` drafts; a new one replaces the oldest.
final class DraftFiles {
  private static let countMax = 16

  private let options: Options
  private var next = 1

  init(_ options: Options) { self.options = options }

  /// The manifest's text, as a reply.
  var manifest: WebResponse {
    do throws(FileError) {
      let file = try FileContents(reading: options.manifest, byteCountMax: TomlDocument.byteCountMax)
      return .object { json in
        json.member("path", options.manifest)
        json.member("text", String(decoding: file.bytes, as: UTF8.self))
      }
    } catch {
      return .refusal(
        .notFound,
        "\(options.manifest) cannot be read by this program. Let the group accessory read it, or name another with "
          + "--manifest.")
    }
  }

  /// What is wrong with a draft, and where it was kept if it was to be.
  func response(to draft: Draft) -> WebResponse {
    // As root's file would be, which it becomes.
    let facts = FileFacts(mode: 0o100_600, owner: 0)
    let boards = BoardNames(manifestPath: options.manifest) { (try? FolderContents.names(in: $0)) ?? [] }
    let check = DraftCheck(
      draft,
      ManifestCheck(.text(draft.text, facts), fileName: options.manifest, accounts: .system, boards: boards))
    guard draft.author != nil, check.isAccepted else { return check.response() }
    let name = "draft-\(next)"
    do throws(SystemError) {
      try DurableFile.makeFolder(options.draftsPath, mode: 0o750)
      let path = "\(options.draftsPath)/\(name).toml"
      try DurableFile.replace(path, with: draft.text)
      next = next % Self.countMax + 1
      return check.response(kept: (path, "sudo accessoryctl web apply \(name)"))
    } catch {
      return .refusal(.failed, "The draft cannot be kept in \(options.draftsPath): \(error.reason).")
    }
  }
}
