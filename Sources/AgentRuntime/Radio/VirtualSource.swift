// SPDX-License-Identifier: GPL-3.0-or-later

import AgentService
import HCI
import LinuxSystem
import VirtualRadio

/// A virtual controller in this process, at the far end of a pair of packet sockets. The near end is read as any
/// controller's socket is.
///
/// When the controller is pulled out the far end is closed, and the host finds that out as it would of another; when it
/// is back there is a new pair.
final class VirtualSource: RadioSource {
  private var pump: ControllerPump
  private var near: ControllerLink?
  private var far: OpenSocket?
  /// When a pair is tried for again that could not be made.
  private var retry: Instant?
  /// When a drain left something for the next.
  private var behindSince: Instant?

  init(_ room: RoomScript, at now: Instant) throws(SystemError) {
    pump = ControllerPump(Controller(room), at: now)
    try plug()
  }

  /// The far end speaks when it is drained, so that there is nothing to watch.
  var kind: RadioKind { .controller }
  var returns: Bool { true }
  var nextTime: Instant? { retry ?? behindSince ?? pump.nextTime }

  private func plug() throws(SystemError) {
    var other: Descriptor?
    near = ControllerLink(OpenSocket(try LocalConnection.pair(&other)), .packets)
    if let other = other.take() { far = OpenSocket(other) }
  }

  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain {
    guard let near else { return wait(at: now) }
    let isWhole = deliver(at: now)
    let drain = near.drain(at: now, receive)
    behindSince = isWhole && drain != .more ? nil : now
    if case .ended = drain { (self.near, behindSince) = (nil, nil) }
    if drain == .ended(.hungUp) { return .ended(.unplugged) }
    return behindSince != nil ? .more : drain
  }

  /// Answers whether everything due was delivered.
  private func deliver(at now: Instant) -> Bool {
    guard let far else { return true }
    do throws(ControllerPump.End) {
      let isWhole = try pump.deliver(to: far.descriptor, at: now)
      if !pump.isPlugged { self.far = nil }
      return isWhole
    } catch {
      self.far = nil
      return true
    }
  }

  private func wait(at now: Instant) -> RadioDrain {
    pump.pass(to: now)
    retry = nil
    guard pump.isPlugged else { return .nothing }
    do throws(SystemError) { try plug() } catch {
      retry = now.advanced(milliseconds: 1000)
      return .nothing
    }
    return .returned
  }

  func send(_ command: CommandPacket, at now: Instant) -> RadioEnd? {
    guard let near, let far else { return .unplugged }
    if let end = near.send(command, at: now) { return end }
    do throws(ControllerPump.End) { try pump.takeCommands(from: far.descriptor, at: now) } catch {
      self.far = nil
    }
    // A command may have brought it about.
    guard pump.isPlugged else {
      (self.near, self.far, behindSince) = (nil, nil, nil)
      return .unplugged
    }
    return nil
  }
}
