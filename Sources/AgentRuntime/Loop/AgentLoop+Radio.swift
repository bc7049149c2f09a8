// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import AgentService
import HCI
import LinuxSystem

// The radio: opened by a worker, read when it is due, opened again when it was lost.

extension AgentLoop {
  /// Somebody waits at the gateway, or the controller is to answer.
  var isRadioUrgent: Bool { agent.isRadioUrgent }

  // MARK: - Opening

  mutating func openRadio(_ selection: RadioSelection) {
    releaseRadio()
    radio.wanted = selection
    radio.backOff = BackOff()
    beginOpening()
  }

  private mutating func beginOpening() {
    radio.retry = nil
    // What is being opened for the radio before this one comes first; its reply begins this one.
    guard let selection = radio.wanted, radio.opening == nil else { return }
    radio.opening = selection
    devices.ask(selection)
  }

  mutating func takeOpening() {
    guard let opening = devices.takeReply() else { return }
    let asked = radio.opening.take()
    guard asked == radio.wanted, radio.source == nil else { return beginOpening() }
    radio.wasTried = true
    switch opening {
    case .success(let opened): install(opened)
    case .failure(let failure):
      if radio.lastFailure != failure { log.say(.warning, "there is no radio: \(failure.sentence)") }
      radio.lastFailure = failure
      if failure.isPassing { radio.retry = radio.backOff.failed(at: now) }
      agent.radioVanished(failure.sentence, at: now)
    }
  }

  private mutating func install(_ opened: RadioOpening.Opened) {
    do throws(SystemError) {
      let source = try Self.source(of: opened, at: now)
      if let socket = source.socket {
        guard let token = watches.insert(.radio) else {
          preconditionFailure("there is a place for the radio")
        }
        radio.token = token
        try epoll.add(socket.descriptor, .readable, token: token)
        radio.isWatched = true
      }
      radio.source = source
      radio.lastFailure = nil
      radio.schedule = DrainSchedule(
        intervalMilliseconds: agent.drainIntervalMilliseconds, hasDescriptor: source.socket != nil)
      radio.backOff.succeeded(at: now)
      agent.radioAppeared(source.takesCommands ? .controller : .recording, at: now)
    } catch {
      log.say(.warning, "there is no radio: \(RadioEnd.system(error).sentence)")
      releaseRadio()
      lose(.system(error))
    }
  }

  private static func source(
    of opened: RadioOpening.Opened, at now: Instant
  ) throws(SystemError) -> any RadioSource {
    switch opened {
    case .link(let socket, let kind): ControllerLink(socket, kind)
    case .room(let room): try VirtualSource(room, at: now)
    case .recording(let bytes, let pace): RecordingSource(bytes, pace, at: now)
    }
  }

  // MARK: - Reading and sending

  mutating func driveRadio() {
    if radio.source == nil, let retry = radio.retry, retry <= now { beginOpening() }
    defer { radio.isReady = false }
    guard radio.isDue(at: now, isUrgent: isRadioUrgent), let source = radio.source else { return }
    counters.drains &+= 1
    let drain = source.drain(at: now) { packet, time in
      counters.packets &+= 1
      agent.receive(packet: packet, at: time)
    }
    radio.schedule.drained(drain, at: now)
    switch drain {
    case .nothing, .some, .more: break
    case .returned: agent.radioAppeared(.controller, at: now)
    case .ended(let end): lose(end)
    }
  }

  mutating func send(_ command: CommandPacket) {
    // A command may be on its way while the radio goes.
    guard let end = radio.source?.send(command, at: now) else { return }
    lose(end)
  }

  // MARK: - Losing

  private mutating func lose(_ end: RadioEnd) {
    switch end {
    // Its clock goes on.
    case .recordingEnded: return agent.recordingEnded(end.sentence, at: now)
    case .recordingBroken: return agent.radioVanished(end.sentence, at: now)
    case .hungUp, .outOfStep, .deaf, .system, .unplugged: agent.radioVanished(end.sentence, at: now)
    }
    guard radio.source?.returns != true else { return }
    releaseRadio()
    radio.retry = radio.backOff.failed(at: now)
  }

  private mutating func releaseRadio() {
    if let token = radio.token { watches.remove(token) }
    // Its descriptor is closed with it, which takes it out of the list of those watched.
    (radio.source, radio.token, radio.isWatched, radio.retry) = (nil, nil, false, nil)
    radio.schedule = DrainSchedule(intervalMilliseconds: agent.drainIntervalMilliseconds)
  }

  /// Leaves the descriptor alone while the radio rests: out of the list, since one that was hung up is always ready.
  mutating func watchRadio() {
    guard let token = radio.token, let socket = radio.source?.socket else { return }
    let isWanted = radio.schedule.isWatched(isUrgent: isRadioUrgent)
    guard isWanted != radio.isWatched else { return }
    counters.watchCalls &+= 1
    do throws(SystemError) {
      if isWanted {
        try epoll.add(socket.descriptor, .readable, token: token)
      } else {
        try epoll.remove(socket.descriptor)
      }
      radio.isWatched = isWanted
    } catch {
      lose(.system(error))
    }
  }
}
