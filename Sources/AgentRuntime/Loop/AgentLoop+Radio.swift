// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import HCI
import LinuxSystem
import Manifest

// The radio: opened by a worker, read when it is due, opened again when it was lost.

extension AgentLoop {
  /// A request is open, or the controller is to answer.
  var isRadioUrgent: Bool { agent.isRadioUrgent }

  // MARK: - Opening

  mutating func openRadio(_ selection: RadioSelection, _ access: Gateway.Access) {
    let request = RadioRequest(selection: selection, access: access, folder: socket.folder)
    // Another radio than before has another address.
    let known = radio.wanted?.selection == selection ? radio.wanted?.knownAddress : nil
    releaseRadio()
    radio.wanted = request
    radio.wanted?.knownAddress = known
    radio.backOff = BackOff()
    followAdapters(request.isAdapter)
    beginOpening()
  }

  mutating func beginOpening() {
    radio.retry = nil
    // What is being opened for the radio before this one comes first; its reply begins this one.
    guard let request = radio.wanted, radio.opening == nil else { return }
    radio.opening = request
    perform(task: .open(request))
  }

  /// The agent wants something done to an adapter before it is opened again.
  mutating func mend(_ rung: RecoveryAction) {
    // The adapter stays wanted; what is held of it goes.
    releaseRadio(restores: false)
    guard let request = radio.wanted, radio.opening == nil else { return }
    radio.opening = request
    perform(task: .mend(rung, request, settleMilliseconds: agent.boardSettleMilliseconds))
  }

  mutating func perform(task: AdapterTask) {
    radio.tasks.append(task)
    startNextTask()
  }

  private mutating func startNextTask() {
    guard !radio.isWorking, !radio.tasks.isEmpty else { return }
    radio.isWorking = true
    devices.ask(radio.tasks.removeFirst())
  }

  mutating func receiveTaskResult() {
    guard let reply = devices.takeReply() else { return }
    radio.isWorking = false
    defer { startNextTask() }
    switch reply {
    case .done: break
    case .opened(let opening): take(opening)
    }
  }

  private mutating func take(_ opening: RadioState.Opening) {
    let asked = radio.opening.take()
    guard asked == radio.wanted, radio.source == nil else { return beginOpening() }
    radio.wasTried = true
    switch opening {
    case .success(let opened): install(opened)
    case .failure(let failure): notOpened(failure)
    }
  }

  private mutating func notOpened(_ failure: RadioOpening.Failure) {
    if radio.lastFailure != failure { log.say(.warning, "there is no radio: \(failure.sentence)") }
    radio.lastFailure = failure
    guard failure.isAbsence || !agent.isMendingRadio else {
      return agent.remedyFailed(failure.sentence, at: now)
    }
    if let longest = failure.retryMillisecondsMax {
      radio.retry = radio.backOff.failed(at: now, millisecondsMax: longest)
    }
    agent.radioVanished(failure.sentence, at: now)
  }

  private mutating func install(_ opened: RadioOpening.Opened) {
    do throws(SystemError) {
      let source = Self.source(of: opened, at: now)
      if source.hasDescriptor {
        guard let token = watches.insert(.radio) else {
          preconditionFailure("there is a place for the radio")
        }
        radio.token = token
        try source.watch(in: epoll, token: token)
        radio.isWatched = true
      }
      radio.source = source
      radio.lastFailure = nil
      radio.schedule = DrainSchedule(
        intervalMilliseconds: agent.drainIntervalMilliseconds, hasDescriptor: source.hasDescriptor)
      radio.backOff.succeeded(at: now)
      if let adapter = source.adapter { remember(adapter) }
      agent.radioAppeared(source.kind, at: now)
    } catch {
      log.say(.warning, "there is no radio: \(RadioEnd.system(error).sentence)")
      releaseRadio()
      lose(.system(error))
    }
  }

  private mutating func remember(_ adapter: OpenAdapter) {
    if adapter.address != 0 { radio.wanted?.knownAddress = adapter.address }
    (radio.drops, radio.nextDropLook) = (0, now)
    agent.noteReceiveRoom(adapter.receiveRoom)
    if case .exclusive = adapter.accessMode { note(adapter.remains, adapter) }
  }

  private static func source(of opened: RadioOpening.Opened, at now: Instant) -> any RadioSource {
    switch opened {
    case .link(let socket, let kind): H4Socket(socket, kind)
    case .recording(let bytes, let pace): RecordingSource(bytes, pace, at: now)
    case .adapter(let hold): AdapterSource(hold)
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
    if let queueing = source.queueing { agent.noteQueueing(microseconds: queueing) }
    radio.schedule.drained(drain, at: now)
    switch drain {
    case .nothing, .some, .more: if radio.nextDropLook <= now { countDrops(source) }
    case .ended(let end): lose(end)
    }
  }

  /// What the kernel dropped is looked up now and then, and at the end: it counts for itself.
  private mutating func countDrops(_ source: any RadioSource) {
    guard let adapter = source.adapter else { return }
    radio.nextDropLook = now.advanced(milliseconds: Self.dropLookMilliseconds)
    guard let count = adapter.events.dropCount, count != radio.drops else { return }
    agent.noteReceiveDrops(UInt64(count &- radio.drops))
    radio.drops = count
  }

  private static var dropLookMilliseconds: Int64 { 100 }

  mutating func send(_ command: CommandPacket) {
    // A command may be on its way while the radio goes.
    guard let end = radio.source?.send(command, at: now) else { return }
    lose(end)
  }

  // MARK: - Losing

  mutating func lose(_ end: RadioEnd) {
    switch end {
    // Its clock goes on.
    case .recordingEnded: return agent.recordingEnded(end.sentence, at: now)
    case .recordingBroken: return agent.radioVanished(end.sentence, at: now)
    case .hungUp, .outOfStep, .deaf, .system, .unplugged, .gone: agent.radioVanished(end.sentence, at: now)
    }
    releaseRadio(restores: false)
    // Nobody tells when another program gives an adapter back, or the kernel is done with one that was plugged in.
    let longest = radio.wanted?.isAdapter == true ? Self.adapterRetryMilliseconds : BackOff.millisecondsMax
    radio.retry = radio.backOff.failed(at: now, millisecondsMax: longest)
  }

  private static var adapterRetryMilliseconds: Int64 { 2000 }

  /// Lets go of it; an adapter is left as it was found, if `restores`.
  private mutating func releaseRadio(restores: Bool = true) {
    if let token = radio.token { watches.remove(token) }
    if let source = radio.source { countDrops(source) }
    let adapter = radio.source?.adapter
    // Its descriptor is closed with it, which takes it out of the list of those watched.
    (radio.source, radio.token, radio.isWatched, radio.retry) = (nil, nil, false, nil)
    radio.schedule = DrainSchedule(intervalMilliseconds: agent.drainIntervalMilliseconds)
    guard let adapter else { return }
    switch adapter.accessMode {
    case .exclusive(let wasUp):
      // What is taken again is still to be left as it was found.
      guard restores else { return radio.remains = KernelScanState() }
      if wasUp { perform(task: .restore(adapter.index)) }
      forgetRemains(adapter)
    case .shared, .listening: forgetRemains(adapter)
    }
  }

  /// Leaves the descriptor alone while the radio rests: out of the list, since one that was hung up is always ready.
  mutating func watchRadio() {
    guard let token = radio.token, let source = radio.source else { return }
    let isWanted = radio.schedule.isWatched(isUrgent: isRadioUrgent)
    guard isWanted != radio.isWatched else { return }
    counters.watchCalls &+= 1
    do throws(SystemError) {
      if isWanted {
        try source.watch(in: epoll, token: token)
      } else {
        try source.unwatch(in: epoll)
      }
      radio.isWatched = isWanted
    } catch {
      lose(.system(error))
    }
  }
}
