// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller

/// Why a radio that should scan does not.
public enum RadioFailure: Equatable, Sendable {
  /// What the controller did, or did not do.
  case controller(ControllerInitializerError)
  /// What the kernel, which is to scan for us, said.
  case kernel(MgmtScanError)
  /// It was silent for long, and did not answer when it was asked.
  case unanswered
  /// It was let go for a remedy, and could not be opened again; why, in a sentence.
  case remedy(String)

  public var sentence: String {
    switch self {
    case .controller(let error): error.sentence
    case .kernel(let error): error.sentence
    case .unanswered: "the controller was silent and did not answer when it was asked"
    case .remedy(let sentence): sentence
    }
  }
}
