// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
public import ToolText

/// A picker in front of a person: what waits at the gateway, what is selected, and what keys mean now.
///
/// Pure: what the agent tells, keys, the terminal's size and the time go in; actions come out, and the screen is one
/// function of it. Capacity: ``requestsMax`` requests; more are counted and wait until others have ended.
public struct PickerModel: Sendable {
  public static let requestsMax = 64

  let glyphs: Glyphs
  /// The only request that is shown; nil for all.
  let only: String?
  /// What a device is to be called that is chosen without a name; nil for its item's name.
  let wantedName: String?
  public internal(set) var size: ScreenSize
  var tabs: [PickerTab] = []
  /// Requests beyond ``requestsMax``.
  var waiting: [String: RequestLine] = [:]
  /// The request that is shown.
  var current: String?
  var mode = PickerMode.list
  /// What has happened last; the next key takes it away.
  var note: String?
  var isSynced = false
  /// What the agent said of itself last, and when.
  var pulse: Pulse?
  var heardAt: Instant?

  struct Pulse: Sendable {
    /// The agent's clock when ours was `at`.
    let time: Seconds
    let at: Instant
    let radio: RadioLine.State
    let detail: String
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

  // MARK: What is shown

  var tab: PickerTab? { tabs.first { $0.request.request == current } }

  /// Changes the tab of a request, if it is there.
  mutating func change(_ request: String, _ body: (inout PickerTab) -> Void) {
    guard let index = tabs.firstIndex(where: { $0.request.request == request }) else { return }
    body(&tabs[index])
  }

  // MARK: What the agent tells

  /// How the agent is, by its own word.
  public mutating func take(_ status: StatusLine, at now: Instant) {
    heardAt = now
    pulse = Pulse(
      time: status.time, at: now, radio: status.radio.state, detail: status.radio.detail,
      registryTrouble: status.problems.first { $0.kind == "registryDegraded" }?.sentence)
  }

  public mutating func take(_ reply: PickerReply, at now: Instant) {
    heardAt = now
    switch reply {
    case .request(let request): take(request)
    case .candidate(let candidate, let request): change(request) { $0.list.take(candidate, at: now) }
    case .gone(let candidate, let request): change(request) { $0.list.lose(candidate, at: now) }
    case .closed(let request, let ending): close(request, ending)
    case .synced: isSynced = true
    }
  }

  private mutating func take(_ request: RequestLine) {
    let id = request.request
    guard only == nil || only == id else { return }
    if tabs.contains(where: { $0.request.request == id }) {
      let wasNaming = tab?.request.phase == .naming
      change(id) { $0.request = request }
      // Who chose it here is asked at once.
      if id == current, let tab, tab.isActed, request.phase == .naming, !wasNaming, mode == .list {
        askForName(tab)
      }
      return leaveWhatIsNoMore()
    }
    guard tabs.count < Self.requestsMax else {
      if waiting.count < Self.requestsMax { waiting[id] = request }
      return
    }
    tabs.append(PickerTab(request))
    tabs.sort { $0.request.since.microseconds < $1.request.since.microseconds }
    if current == nil { current = id }
  }

  private mutating func close(_ request: String, _ ending: RequestEnding) {
    waiting[request] = nil
    guard let tab = tabs.first(where: { $0.request.request == request }) else { return }
    if request == current {
      // Nothing else may come under the person's fingers: it stays until a key was pressed.
      change(request) { $0.ending = ending }
      note = nil
      leaveWhatIsNoMore()
    } else {
      note = Sentences.ended(tab, ending, glyphs).joined(separator: "; ")
      remove(request)
    }
  }

  mutating func remove(_ request: String) {
    guard let index = tabs.firstIndex(where: { $0.request.request == request }) else { return }
    tabs.remove(at: index)
    if current == request { current = tabs.isEmpty ? nil : tabs[min(index, tabs.count - 1)].request.request }
    guard let next = waiting.values.min(by: { $0.since.microseconds < $1.since.microseconds }) else { return }
    waiting[next.request] = nil
    take(next)
  }

  /// A question about what has ended, or can be answered no more, is taken back.
  private mutating func leaveWhatIsNoMore() {
    switch mode {
    case .list, .help: return
    case .typing(let typing):
      let tab = tabs.first { $0.request.request == typing.request }
      let isOpen =
        switch typing.purpose {
        case .candidate, .network: tab?.isChoosing ?? false
        case .answer: tab?.wantsName ?? false
        }
      if !isOpen { mode = .list }
    case .confirming(let question):
      let tab = tabs.first { $0.request.request == question.action.request }
      if tab?.isOver ?? true { mode = .list }
    }
  }

  // MARK: What became of actions

  public mutating func take(_ answer: PickerAnswer, to action: PickerAction) {
    guard let request = action.request else { return }
    let glyphs = glyphs
    change(request) { tab in
      tab.isAnswering = false
      tab.remarks = Sentences.remarks(answer, tab.request, glyphs)
      if answer == .closed { tab.isActed = false }
    }
    let tab = tabs.first { $0.request.request == request }
    // How it ended is said already, and the remarks stand below.
    if let tab, tab.isOver { return }
    if let sentence = Sentences.note(answer, tab?.request, glyphs) { note = sentence }
  }
}

extension PickerModel {
  /// Of the names that can be given.
  public static let nameBytesMax = PickerTyping.nameBytesMax
}
