// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// The requests that wait for an operator, and their candidates, as the agent's stream has them.
///
/// Capacity: what the agent has; a list that is not complete yet stands beside the last complete one.
struct RequestBook {
  private struct Entry {
    var request: RequestLine
    var candidates: [UInt32: CandidateLine] = [:]
  }

  private var entries: [String: Entry] = [:]
  /// Those of a stream that has begun again, until it is complete.
  private var incoming: [String: Entry]? = [:]

  /// The stream begins again.
  mutating func restart() { incoming = [:] }

  /// Nothing is known any longer.
  mutating func clear() { (entries, incoming) = ([:], [:]) }

  func request(_ identifier: String) -> RequestLine? { entries[identifier]?.request }

  /// Takes a reply. Returns the message for the browsers; nil while the list is not complete.
  mutating func update(_ reply: PickerReply) -> [UInt8]? {
    if var list = incoming {
      Self.apply(reply, to: &list)
      guard reply == .synced else {
        incoming = list
        return nil
      }
      (entries, incoming) = (list, nil)
      return message
    }
    Self.apply(reply, to: &entries)
    return StreamMessage.event("picker") { reply.writeMembers(to: &$0) }
  }

  private static func apply(_ reply: PickerReply, to list: inout [String: Entry]) {
    switch reply {
    case .request(let line):
      list[line.request] = Entry(request: line, candidates: list[line.request]?.candidates ?? [:])
    case .candidate(let candidate, let request):
      list[request]?.candidates[candidate.candidate] = candidate
    case .gone(let number, let request): list[request]?.candidates[number] = nil
    case .closed(let request, _): list[request] = nil
    case .synced: break
    }
  }

  /// Everything, for a browser that has just come.
  var message: [UInt8] {
    let sorted = entries.values.sorted { $0.request.since.microseconds < $1.request.since.microseconds }
    return StreamMessage.event("requests") { json in
      json.objects("requests", sorted) { json, entry in
        json.object("request", entry.request)
        json.objects("candidates", entry.candidates.values.sorted { $0.candidate < $1.candidate })
      }
    }
  }
}
