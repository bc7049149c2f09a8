// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import LinuxSystem
import Manifest

/// What the *devices* worker is asked.
enum AdapterTask: Equatable, Sendable {
  case open(RadioRequest)
  /// Does what the rung says to the adapter, and opens it.
  case mend(RecoveryAction, RadioRequest, settleMilliseconds: Int)
  /// Takes an adapter up that was found up.
  case restore(UInt16)
  /// Notes what is left in an adapter should the agent be killed.
  case note(KernelScanState, index: UInt16, KernelScanStateFile)

  func perform() -> AdapterTaskResult {
    switch self {
    case .open(let request): .opened(RadioOpening.open(request))
    case .mend(let rung, let request, let settle):
      .opened(RadioOpening.mend(rung, request, settleMilliseconds: settle))
    case .restore(let index): restore(index)
    case .note(let remains, let index, let file): note(remains, index, file)
    }
  }

  private func restore(_ index: UInt16) -> AdapterTaskResult {
    do throws(RadioOpening.Failure) { try AdapterOpener().restore(index) } catch {
      // Without Bluetooth there is nothing to take up.
    }
    return .done
  }

  private func note(_ remains: KernelScanState, _ index: UInt16, _ file: KernelScanStateFile)
    -> AdapterTaskResult
  {
    file.note(remains, index)
    return .done
  }
}

enum AdapterTaskResult: Sendable {
  case opened(LoopRadio.Opening)
  case done
}

/// Which radio, how, and what is known of it.
struct RadioRequest: Equatable, Sendable {
  let selection: RadioSelection
  let access: Gateway.Access
  /// The address of the adapter that was held before, under whatever index.
  var knownAddress: UInt64?
  /// The socket's folder, for files that need not outlive the system.
  let folder: String

  /// Where the recovery unit looks for requests.
  var recoveryPath: String { folder + "/recovery-request" }
  var kernelScanStateFile: KernelScanStateFile { KernelScanStateFile(path: folder + "/scan-remains") }

  /// Whether it is an adapter of this machine.
  var isAdapter: Bool {
    switch selection {
    case .any, .index, .address: true
    case .btsnoop, .h4: false
    }
  }
}
