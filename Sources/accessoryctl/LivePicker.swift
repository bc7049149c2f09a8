// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import LinuxSystem
import PickerScreen
import Terminal
import ToolText

/// A picker on the terminal, for as long as the person looks at it.
struct LivePicker: ~Copyable {
  /// Why it ended.
  private enum Ending {
    /// The person went.
    case left
    /// A signal asked for it, or the terminal went.
    case interrupted
    /// What was opened is over.
    case over
    case problem(GatewayProblem)
    case system(SystemError)
    case unknownTerminal
  }

  private static let standardInput: Int32 = 0

  private let path: String
  private let name: String?
  private let interruption: Interruption
  private let window: WindowSignal
  private var links: PickerLinks
  /// Whether what was chosen here last brought no name.
  private var isUnnamed = false

  init(path: String, _ options: PickOptions) throws(Failure) {
    let interruption = try Interruption()
    let window = try Self.window()
    let links = try Self.links(path, options)
    self.path = path
    name = options.name
    self.interruption = interruption
    self.window = window
    self.links = links
  }

  private static func window() throws(Failure) -> WindowSignal {
    do throws(SystemError) { return try WindowSignal() } catch { throw .system(error) }
  }

  private static func links(_ path: String, _ options: PickOptions) throws(Failure) -> PickerLinks {
    do throws(GatewayProblem) { return try PickerLinks(path: path, options) } catch {
      throw error.failure(at: path)
    }
  }

  mutating func run() throws(Failure) {
    // The terminal is an ordinary one again before anything is said.
    var ending = draw()
    if case .over = ending {
      do throws(GatewayProblem) { try nameLate() } catch { ending = .problem(error) }
    }
    let accessories = links.opened?.accessories ?? []
    if case .interrupted = ending {
      // Where the terminal went nobody reads it.
      try? Self.say(accessories)
      throw .interrupted(try interruption.taken() ?? .hangUp)
    }
    try Self.say(accessories)
    switch ending {
    case .left: if links.opened != nil, accessories.isEmpty { throw .said(.no) }
    case .over, .interrupted: return
    case .problem(let problem): throw problem.failure(at: path)
    case .system(let error): throw .system(error)
    case .unknownTerminal: throw .unknownTerminal
    }
  }

  /// What could not be named with the choice gets the name of the command line now.
  private func nameLate() throws(GatewayProblem) {
    guard isUnnamed, let name else { return }
    try links.opened?.nameFirst(name, path: path)
  }

  private static func say(_ accessories: [PickedAccessory]) throws(Failure) {
    var printer = Printer()
    for accessory in accessories { try printer.text(accessory.text) }
    try printer.flush()
  }

  private mutating func draw() -> Ending {
    guard var terminal = TerminalScreen(isColored: !Environment.has("NO_COLOR")) else {
      return .unknownTerminal
    }
    var model = PickerModel(
      size: terminal.size, glyphs: terminal.glyphs, only: links.opened?.request, name: name)
    do throws(SystemError) {
      model.take(links.status, at: try MonotonicInstant.now().instant)
      while true {
        terminal.show(model.screen(at: try MonotonicInstant.now().instant))
        if let ending = try turn(&model, &terminal) { return ending }
      }
    } catch {
      return .system(error)
    }
  }

  /// One wait, and what came of it; nil to go on.
  private mutating func turn(
    _ model: inout PickerModel, _ terminal: inout TerminalScreen
  ) throws(SystemError) -> Ending? {
    let own = [
      Polling.Entry(interruption.number, .readable), Polling.Entry(Self.standardInput, .readable),
      Polling.Entry(window.number, .readable),
    ]
    // Ages change with every second.
    let tick = try MonotonicInstant.now().nextSecond
    let ready = try Polling.wait(own + links.entries, until: tick)
    if !ready[0].isEmpty || ready[1].contains(.hungUp) { return .interrupted }
    if !ready[2].isEmpty {
      try window.acknowledge()
      terminal.resize()
      model.resize(to: terminal.size)
    }
    // What was on the screen when a key was pressed is what it is about: keys go first. They are looked for every time,
    // by which ncurses sets up the keyboard again after the program was stopped and continued.
    let now = try MonotonicInstant.now()
    if press(&model, &terminal, at: now.instant) { return .left }
    do throws(GatewayProblem) {
      for arrival in try links.advance(ready[own.count...], at: now) {
        take(arrival, &model, at: now.instant)
      }
    } catch {
      return .problem(error)
    }
    return links.opened?.isOver ?? false ? .over : nil
  }

  /// Answers whether the person wants to go.
  private mutating func press(
    _ model: inout PickerModel, _ terminal: inout TerminalScreen, at now: Instant
  ) -> Bool {
    while let key = terminal.nextKey() {
      guard let action = model.press(key, at: now) else { continue }
      if action == .quit { return true }
      perform(action, &model, at: now)
    }
    return false
  }

  private mutating func perform(_ action: PickerAction, _ model: inout PickerModel, at now: Instant) {
    if case .choose(_, _, let name, _) = action { isUnnamed = name == nil }
    if let arrival = links.begin(action) { take(arrival, &model, at: now) }
  }

  /// What somebody else chose is not ours to name.
  private mutating func forget(_ answer: PickerAnswer) {
    switch answer {
    case .done, .chosen: return
    case .closed, .failed: isUnnamed = false
    }
  }

  private mutating func take(_ arrival: PickerLinks.Arrival, _ model: inout PickerModel, at now: Instant) {
    switch arrival {
    case .reply(let reply): model.take(reply, at: now)
    case .status(let status): model.take(status, at: now)
    case .answer(let answer, let action):
      if case .choose = action { forget(answer) }
      model.take(answer, to: action)
    }
  }
}

extension MonotonicInstant {
  fileprivate var instant: Instant { Instant(microseconds: nanoseconds / 1000) }

  /// When the next second begins.
  fileprivate var nextSecond: MonotonicInstant {
    advanced(nanoseconds: 1_000_000_000 - nanoseconds % 1_000_000_000)
  }
}
