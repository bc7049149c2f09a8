// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller

/// What is at the other end of a radio source.
public enum RadioKind: Equatable, Sendable {
  /// A controller that takes commands, and is initialised.
  case controller
  /// An adapter that no other program uses: it can be reset and powered too.
  case adapter(index: UInt16)
  /// An adapter that other programs use too: the agent reads its events, and asks the kernel to scan.
  case sharedAdapter(index: UInt16, kernelScanState: KernelScanState = KernelScanState())
  /// An adapter whose events are read: other programs decide whether it scans.
  case listener
  /// A recording; it takes no commands.
  case recording

  /// Whether its packets come from a socket of the kernel.
  var isAdapter: Bool {
    switch self {
    case .adapter, .sharedAdapter, .listener: true
    case .controller, .recording: false
    }
  }
}

/// Why a radio that should scan does not.
public enum RadioError: Equatable, Sendable {
  /// What the controller did, or did not do.
  case controller(ControllerInitializerError)
  /// What the kernel, which scans for the agent, said.
  case kernel(MgmtScanError)
  /// It was silent for long, and did not answer when it was asked.
  case unanswered
  /// It was let go for a remedy, and could not be opened again; why, in a sentence.
  case remedy(String)

  /// What to do when something other than a controller serves the socket of `h4:PATH`.
  public static let h4Cure =
    "name in h4:PATH the socket of a program that speaks H4, such as virtual-controller"

  public var sentence: String {
    switch self {
    case .controller(let error): error.sentence
    case .kernel(let error): error.sentence
    case .unanswered: "the controller was silent and did not answer when it was asked"
    case .remedy(let sentence): sentence
    }
  }
}
