// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
import ToolText

/// The state of a picker: the open requests, the selection, and what keys do now.
///
/// Pure: the agent's replies, keys, the terminal's size and the time go in; actions come out, and one function draws
/// the screen from it. Capacity: ``requestsMax`` requests; further ones are counted and wait until others have ended.
public struct PickerModel: Sendable {
  public static let requestsMax = 64

  let glyphs: Glyphs
  /// The only request to show; nil for all.
  let only: String?
  /// The name for a device that is chosen without one; nil for its item's name.
  let wantedName: String?
  public internal(set) var size: ScreenSize
  var tabs: [PickerTab] = []
  /// Requests beyond ``requestsMax``.
  var waiting: [String: RequestLine] = [:]
  /// The request that is shown.
  var current: String?
  var mode = PickerMode.list
  /// The last message; the next key removes it.
  var note: String?
  var isSynced = false
  /// The agent's last status, and when it came.
  var agentState: AgentState?
  var heardAt: Instant?

  struct AgentState: Sendable {
    /// The agent's clock when this program's was `at`.
    let time: Seconds
    let at: Instant
    let radio: RadioLine.State
    let detail: String
    /// Whether the radio only listens, so that devices that send their names only when asked have none.
    let lacksNames: Bool
    /// Why nothing can be set up; nil when the registry can be used.
    let registryTrouble: String?
  }

  public init(
    size: ScreenSize, glyphs: Glyphs = .unicode, only request: String? = nil, name: String? = nil
  ) {
    self.size = size
    self.glyphs = glyphs
    only = request
    wantedName = name
  }

  public mutating func resize(to size: ScreenSize) {
    self.size = size
    let height = layout.listHeight
    for index in tabs.indices { tabs[index].list.settle(height: height) }
  }

  // MARK: Tabs

  var tab: PickerTab? { tabs.first { $0.request.request == current } }

  /// Changes the tab of a request, if it exists.
  mutating func change(_ request: String, _ body: (inout PickerTab) -> Void) {
    guard let index = tabs.firstIndex(where: { $0.request.request == request }) else { return }
    body(&tabs[index])
  }

  // MARK: Replies of the agent

  /// Receives the agent's status.
  public mutating func receive(_ status: StatusLine, at now: Instant) {
    heardAt = now
    agentState = AgentState(
      time: status.time, at: now, radio: status.radio.state, detail: status.radio.detail,
      lacksNames: status.radio.scan == .passive,
      registryTrouble: status.problems.first { $0.kind == "registryDegraded" }?.sentence)
  }

  public mutating func receive(_ reply: PickerReply, at now: Instant) {
    heardAt = now
    switch reply {
    case .request(let request): update(request, at: now)
    case .candidate(let candidate, let request): change(request) { $0.list.update(candidate, at: now) }
    case .gone(let candidate, let request): change(request) { $0.list.markGone(candidate, at: now) }
    case .closed(let request, let ending): close(request, ending, at: now)
    case .synced: isSynced = true
    }
  }

  private mutating func update(_ request: RequestLine, at now: Instant) {
    let id = request.request
    guard only == nil || only == id else { return }
    if tabs.contains(where: { $0.request.request == id }) {
      let wasNaming = tab?.request.phase == .naming
      change(id) { $0.request = request }
      // An operator who chose here is asked for the name at once.
      if id == current, let tab, tab.hasDecided, request.phase == .naming, !wasNaming, mode == .list {
        askForName(tab)
      }
      leaveEndedQuestion()
      return noteQuestion(of: id, at: now)
    }
    guard tabs.count < Self.requestsMax else {
      if waiting.count < Self.requestsMax { waiting[id] = request }
      return
    }
    tabs.append(PickerTab(request))
    tabs.sort { $0.request.since.microseconds < $1.request.since.microseconds }
    if current == nil { current = id }
    noteQuestion(of: id, at: now)
  }

  private mutating func close(_ request: String, _ ending: RequestEnding, at now: Instant) {
    waiting[request] = nil
    guard let tab = tabs.first(where: { $0.request.request == request }) else { return }
    if request == current {
      // The tab stays until a key is pressed, so that no other request slips under it.
      change(request) { $0.ending = ending }
      note = nil
      leaveEndedQuestion()
    } else {
      note = PickerSentences.ended(tab, ending, glyphs).joined(separator: "; ")
      remove(request, at: now)
    }
  }

  mutating func remove(_ request: String, at now: Instant) {
    guard let index = tabs.firstIndex(where: { $0.request.request == request }) else { return }
    tabs.remove(at: index)
    if current == request { current = tabs.isEmpty ? nil : tabs[min(index, tabs.count - 1)].request.request }
    guard let next = waiting.values.min(by: { $0.since.microseconds < $1.since.microseconds }) else { return }
    waiting[next.request] = nil
    update(next, at: now)
  }

  /// Leaves a question about a request that has ended or no longer waits for it.
  private mutating func leaveEndedQuestion() {
    switch mode {
    case .list, .help: return
    case .typing(let typing):
      let tab = tabs.first { $0.request.request == typing.request }
      let isOpen =
        switch typing.purpose {
        case .candidate, .network, .filter: tab?.isChoosing ?? false
        case .answer: tab?.wantsName ?? false
        case .digits: tab?.openQuestion?.kind == .enterDigits
        }
      if !isOpen { mode = .list }
    case .replacing(let replacement):
      let tab = tabs.first { $0.request.request == replacement.request }
      if tab?.isChoosing != true { mode = .list }
    case .confirming(let question):
      let tab = tabs.first { $0.request.request == question.action.request }
      if tab?.isOver ?? true { mode = .list }
    }
  }

  // MARK: Results of actions

  public mutating func receive(_ answer: PickerAnswer, to action: PickerAction) {
    guard let request = action.request else { return }
    if case .answer = action { return receive(answer, toAnswerOf: request) }
    let glyphs = glyphs
    change(request) { tab in
      tab.isAnswering = false
      tab.remarks = PickerSentences.remarks(answer, tab.request, glyphs)
      if answer == .closed { tab.hasDecided = false }
    }
    let tab = tabs.first { $0.request.request == request }
    // The tab shows the ending and the remarks already.
    if let tab, tab.isOver { return }
    if let sentence = PickerSentences.note(answer, tab?.request, glyphs) { note = sentence }
  }
}

extension PickerModel {
  /// The longest name that can be given.
  public static let nameBytesMax = PickerTyping.nameBytesMax
}
