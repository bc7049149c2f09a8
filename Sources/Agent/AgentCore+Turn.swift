// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
import JSON
import Manifest
import Setup
import Varlink

extension AgentCore {
  /// Lets time pass, takes calls, and says what there is to say. `radioLead` is how many microseconds the radio's
  /// clock runs ahead: 0 but for a recording that is played as fast as it can be read.
  public func turn(at time: Instant, radioLead lead: Int64 = 0) {
    now = max(now, time)
    radioLead = lead
    tally.turns &+= 1
    isBusy = false
    dataPath.pipeline.advance(to: radioTime)
    advanceRadio()
    advanceSetup()
    feedAdvertisements()
    let activity = setupCore.activity
    for place in clients.taken where clients.places[place] != nil { serve(place) }
    followSetup()
    // Whoever was served before it happened is served again.
    if setupCore.activity != activity { isBusy = true }
  }

  private func serve(_ place: Int) {
    clients.places[place]?.connection.beginTurn()
    pump(place)
    while let action = clients.places[place]?.connection.nextAction(at: now.duration) {
      switch action {
      case .perform(let call):
        perform(call, place)
        pump(place)
      case .yield:
        isBusy = true
        return
      case .wait: return closeIfOverdue(place)
      case .close(let reason): return close(place, reason)
      }
    }
  }

  private func closeIfOverdue(_ place: Int) {
    guard let end = clients.overdue(at: place), end <= now, let client = clients.places[place] else { return }
    guard clients.places[place]?.connection.timeOut() != true else { return }
    tally.closedOverdue &+= 1
    leave(place, client, .overdue)
  }

  private func close(_ place: Int, _ reason: ServerConnection.CloseReason) {
    guard let client = clients.places[place] else { return }
    switch reason {
    case .finished: leave(place, client, nil)
    case .frame(let problem):
      tally.closedForFrame &+= 1
      leave(place, client, .frame(problem))
    case .call(let problem):
      tally.closedForJSON &+= 1
      leave(place, client, .call(problem))
    case .overdue:
      tally.closedOverdue &+= 1
      leave(place, client, .overdue)
    case .replyTooLong(let byteCount): leave(place, client, .replyTooLong(byteCount: byteCount))
    }
  }

  private func leave(_ place: Int, _ client: Client, _ reason: ClosingReason?) {
    if let reason { perform(.log(.closed(reason, user: client.peer.user))) }
    perform(.close(client.id))
    remove(place)
  }

  // MARK: - Streams

  /// Says what the call in progress has to say, as far as the client has room for it.
  private func pump(_ place: Int) {
    while true {
      if let message = clients.places[place]?.pending {
        guard message.count <= clients.places[place]?.connection.continuedReplyBytesMax ?? 0 else { return }
        clients.places[place]?.pending = nil
        clients.places[place]?.connection.reply(message, continues: true)
      }
      guard var activity = clients.places[place]?.activity else { return }
      let step = step(&activity)
      clients.places[place]?.activity = activity
      // Who only reads what was learned listens no more.
      if case .suggestions = activity { releaseUnused() }
      switch step {
      case .wait: return
      case .say(let message): clients.places[place]?.pending = message
      case .end(let message):
        clients.places[place]?.activity = .none
        clients.places[place]?.connection.reply(message)
        releaseUnused()
        return
      }
    }
  }

  /// What a stream says next.
  enum Step {
    case say([UInt8])
    case wait
    case end([UInt8])
  }

  private func step(_ activity: inout Activity) -> Step {
    switch activity {
    case .none, .reload, .deferred, .awaiting: return .wait
    case .sightings(var list):
      defer { activity = .sightings(list) }
      return list.next(dataPath)
    case .watch(var watch):
      defer { activity = .watch(watch) }
      return step(&watch)
    case .explanations(var list):
      defer { activity = .explanations(list) }
      return list.next(dataPath)
    case .trials(var list):
      defer { activity = .trials(list) }
      return list.next(dataPath)
    case .capture(var stream):
      defer { activity = .capture(stream) }
      return step(&stream)
    case .session(var stream):
      defer { activity = .session(stream) }
      return step(&stream)
    case .appAccessories(var list):
      defer { activity = .appAccessories(list) }
      return step(&list)
    case .advertisements(var stream):
      defer { activity = .advertisements(stream) }
      return step(&stream)
    case .requests(var watch):
      defer { activity = .requests(watch) }
      return step(&watch)
    case .opened(var opened):
      defer { activity = .opened(opened) }
      return step(&opened)
    case .accessories(var list):
      defer { activity = .accessories(list) }
      return step(&list)
    case .registry(var list):
      defer { activity = .registry(list) }
      return step(&list)
    case .export(var list):
      defer { activity = .export(list) }
      return list.next()
    case .suggestion(let listening):
      guard listening.end <= now else { return .wait }
      switch listening.outcome {
      case .success(let messages): activity = .suggestions(messages)
      case .failure(let error): return .end(error.message)
      }
      return step(&activity)
    case .suggestions(var messages):
      guard !messages.isEmpty else { return .end(Message.reply()) }
      defer { activity = .suggestions(messages) }
      return .say(messages.removeFirst())
    }
  }

  /// Whether some client does what `isSuch` says.
  func activityCount(_ isSuch: (Activity) -> Bool) -> Int {
    clients.places.count { $0.map { isSuch($0.activity) } ?? false }
  }

  /// Lets go of what only captures and suggestions need.
  func releaseUnused() {
    if tap != nil, activityCount({ if case .capture = $0 { true } else { false } }) == 0 { tap = nil }
    if listener != nil, activityCount({ if case .suggestion = $0 { true } else { false } }) == 0 {
      listener = nil
    }
  }
}
