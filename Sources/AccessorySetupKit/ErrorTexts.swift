// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The texts of an error, by the keys of `userInfo`.
package struct ErrorTexts: Hashable, Sendable {
  private var values: [String: String]

  /// Values that are no texts are left out.
  package init(_ userInfo: [String: Any]) { values = userInfo.compactMapValues { $0 as? String } }

  /// An error that is described as a whole sentence: what is wrong, and what to do.
  ///
  /// - Parameter field: the parameter with the error. A reason that says "it" or "this" is about the parameter.
  package init(_ reason: String, cure: String, field: String? = nil) {
    let subject = Self.subject(field)
    let pronoun = ["it ", "this "].first { reason.hasPrefix($0) }
    let clause =
      switch (subject, pronoun) {
      case (nil, _): reason
      case (let subject?, let pronoun?): "\(subject) \(reason.dropFirst(pronoun.count))"
      case (let subject?, nil): subject.hasPrefix("the ") ? reason : "in \(subject), \(reason)"
      }
    values = [
      NSLocalizedDescriptionKey: cure.isEmpty ? clause : "\(clause); \(cure)",
      NSLocalizedFailureReasonErrorKey: clause, NSLocalizedRecoverySuggestionErrorKey: cure,
    ]
    values[ASError.fieldKey] = field.flatMap { AppWords.field($0) }
  }

  /// What a reason is about; nil when it says so itself.
  private static func subject(_ field: String?) -> String? {
    switch field {
    case nil: nil
    case "session"?, "accessory"?, "picker"?: "the \(field ?? "")"
    case let field?: field.hasPrefix("accessory.") ? nil : AppWords.field(field)
    }
  }

  package var userInfo: [String: Any] { values }

  /// What is printed: the error's type and code, and the sentence.
  package func description(_ type: Any.Type, _ code: some Any, _ number: Int) -> String {
    "\(type).\(code) (\(number))" + (values[NSLocalizedDescriptionKey].map { ": \($0)" } ?? "")
  }
}
