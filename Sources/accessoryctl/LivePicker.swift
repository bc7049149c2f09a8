// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import LinuxSystem
import PickerScreen
import Terminal
import ToolSystem
import ToolText

/// A picker on the terminal.
struct LivePicker: ~Copyable {
  /// Why it ended.
  private enum Ending {
    /// The operator quit.
    case left
    /// A signal came, or the terminal went away.
    case interrupted
    /// The request that this program opened is over.
    case over
    case callFailed(AgentCallError)
    case system(SystemError)
    case unknownTerminal
  }

  private static let standardInput: Int32 = 0

  private let path: String
  private let name: String?
  private let interruption: Interruption
  private let window: WindowSignal
  private var connections: PickerConnections
  /// Whether the last choice made here had no name.
  private var needsName = false

  init(path: String, _ opening: RequestOpening?) throws(ToolError) {
    let interruption = try Interruption()
    let window = try Self.window()
    let connections = try Self.connections(path, opening)
    self.path = path
    name = opening?.name
    self.interruption = interruption
    self.window = window
    self.connections = connections
  }

  private static func window() throws(ToolError) -> WindowSignal {
    do throws(SystemError) { return try WindowSignal() } catch { throw .system(error) }
  }

  private static func connections(_ path: String, _ opening: RequestOpening?) throws(ToolError)
    -> PickerConnections
  {
    do throws(AgentCallError) { return try PickerConnections(path: path, opening) } catch {
      throw error.toolError(at: path)
    }
  }

  mutating func run() throws(ToolError) {
    // The terminal is restored before anything is printed.
    var ending = runScreen()
    if case .over = ending {
      do throws(AgentCallError) { try nameAccessory() } catch { ending = .callFailed(error) }
    }
    let accessories = connections.opened?.accessories ?? []
    if case .interrupted = ending {
      // The terminal may be gone, so an error here is ignored.
      try? Self.printLines(accessories)
      throw .interrupted(try interruption.nextSignal() ?? .hangUp)
    }
    try Self.printLines(accessories)
    switch ending {
    case .left: if connections.opened != nil, accessories.isEmpty { throw .reported(.no) }
    case .over, .interrupted: return
    case .callFailed(let error): throw error.toolError(at: path)
    case .system(let error): throw .system(error)
    case .unknownTerminal: throw .unknownTerminal
    }
  }

  /// Gives the accessory the name of the command line, if the choice could not carry it.
  private func nameAccessory() throws(AgentCallError) {
    guard needsName, let name else { return }
    try connections.opened?.nameFirst(name, path: path)
  }

  private static func printLines(_ accessories: [PickedAccessory]) throws(ToolError) {
    var printer = Printer()
    for accessory in accessories { try printer.text(accessory.text) }
    try printer.flush()
  }

  private mutating func runScreen() -> Ending {
    guard var terminal = TerminalScreen(isColored: !Environment.has("NO_COLOR")) else {
      return .unknownTerminal
    }
    var model = PickerModel(
      size: terminal.size, glyphs: terminal.glyphs, only: connections.opened?.request, name: name)
    do throws(SystemError) {
      model.receive(connections.status, at: try MonotonicInstant.now().instant)
      while true {
        terminal.show(model.screen(at: try MonotonicInstant.now().instant))
        if let ending = try handleInput(&model, &terminal) { return ending }
      }
    } catch {
      return .system(error)
    }
  }

  /// Waits once, and handles the input; nil to go on.
  private mutating func handleInput(
    _ model: inout PickerModel, _ terminal: inout TerminalScreen
  ) throws(SystemError) -> Ending? {
    let own = [
      Polling.Entry(interruption.number, .readable), Polling.Entry(Self.standardInput, .readable),
      Polling.Entry(window.number, .readable),
    ]
    // Ages change with every second.
    let tick = try MonotonicInstant.now().nextSecond
    let ready = try Polling.wait(own + connections.entries, until: tick)
    if !ready[0].isEmpty || ready[1].contains(.hungUp) { return .interrupted }
    if !ready[2].isEmpty {
      try window.acknowledge()
      terminal.resize()
      model.resize(to: terminal.size)
    }
    // Keys go first, because a key is about what the screen showed when it was pressed. They are read every time, so
    // that ncurses sets up the keyboard again after the program was stopped and continued.
    let now = try MonotonicInstant.now()
    if handleKeys(&model, &terminal, at: now.instant) { return .left }
    do throws(AgentCallError) {
      for arrival in try connections.advance(ready[own.count...], at: now) {
        show(arrival, &model, at: now.instant)
      }
    } catch {
      return .callFailed(error)
    }
    return connections.opened?.isOver ?? false ? .over : nil
  }

  /// Handles the keys that were pressed. Returns whether the operator quits.
  private mutating func handleKeys(
    _ model: inout PickerModel, _ terminal: inout TerminalScreen, at now: Instant
  ) -> Bool {
    while let key = terminal.nextKey() {
      guard let action = model.press(key, at: now) else { continue }
      if action == .quit { return true }
      send(action, &model, at: now)
    }
    return false
  }

  private mutating func send(_ action: PickerAction, _ model: inout PickerModel, at now: Instant) {
    if case .choose(_, _, let name, _, let replaces) = action { needsName = name == nil && replaces == nil }
    if let arrival = connections.send(action) { show(arrival, &model, at: now) }
  }

  /// A device that another operator chose does not get the name of the command line.
  private mutating func forgetName(after answer: PickerAnswer) {
    switch answer {
    case .done, .chosen: return
    case .closed, .failed: needsName = false
    }
  }

  private mutating func show(
    _ arrival: PickerConnections.Arrival, _ model: inout PickerModel, at now: Instant
  ) {
    switch arrival {
    case .reply(let reply): model.receive(reply, at: now)
    case .status(let status): model.receive(status, at: now)
    case .answer(let answer, let action):
      if case .choose = action { forgetName(after: answer) }
      model.receive(answer, to: action)
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
