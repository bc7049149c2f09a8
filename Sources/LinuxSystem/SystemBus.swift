// SPDX-License-Identifier: GPL-3.0-or-later

import CSystemd
import Glibc

/// A connection to bluetoothd over the system bus. Opening it loads libsystemd; closing it, at its end, unloads the
/// library. No call blocks.
///
/// Capacity: 4,096 messages that wait to be read, and 8 questions that wait for an answer (CSYSTEMD_EVENTS_MAX and
/// CSYSTEMD_QUESTIONS_MAX). Further messages are dropped and counted, and further questions are refused, as are those that are dropped.
@safe
public final class SystemBus {
  // Holds: the shim gives a pointer that is good until `deinit`, and no other code has it.
  private let bus: OpaquePointer

  /// Begins to connect to the bus with this socket.
  public init(path: String) throws(SystemError) {
    var opened: OpaquePointer?
    // Holds: the call reads the text, and sets the local variable.
    let result = unsafe csystemd_open("unix:path=\(path)", &opened)
    guard result == 0, let opened = unsafe opened else { throw SystemError(.busOpen, code: -result) }
    unsafe bus = opened
  }

  deinit { unsafe csystemd_close(bus) }

  /// The conditions to wait for at this moment.
  public var conditions: Readiness {
    let conditions = unsafe csystemd_conditions(bus)
    guard conditions > 0 else { return [] }
    var readiness: Readiness = []
    if conditions & Int32(POLLIN) != 0 { readiness.insert(.readable) }
    if conditions & Int32(POLLOUT) != 0 { readiness.insert(.writable) }
    return readiness
  }

  /// How many microseconds from now ``process()`` is due at the latest; nil for never.
  public func microsecondsLeft() throws(SystemError) -> Int64? {
    let deadline = unsafe csystemd_deadline(bus)
    guard deadline >= 0 else { return nil }
    return max(0, deadline - (try MonotonicTime.now()))
  }

  /// Sends and receives what can be without waiting. Returns whether more is to be done at once.
  public func process() throws(SystemError) -> Bool {
    let result = unsafe csystemd_process(bus)
    guard result >= 0 else { throw SystemError(.busProcess, code: -result) }
    return result > 0
  }

  /// Whether a message was received that ``nextMessage()`` has yet to return.
  public var hasMessage: Bool { unsafe csystemd_has_event(bus) != 0 }

  /// Returns the oldest message that was received, once.
  public func nextMessage() -> SystemBusMessage? {
    // Holds: the event and its texts live until the next call, and the message copies them.
    guard let event = unsafe csystemd_next_event(bus) else { return nil }
    return unsafe SystemBusMessage(event.pointee)
  }

  /// How many messages were dropped.
  public var droppedCount: UInt32 { unsafe csystemd_dropped(bus) }

  // MARK: - Watching the descriptor

  /// Adds the connection's descriptor to an epoll set.
  public func watch(in epoll: borrowing Epoll, _ readiness: Readiness, token: UInt64) throws(SystemError) {
    try epoll.add(number: try descriptor, readiness, token: token)
  }

  public func changeWatch(in epoll: borrowing Epoll, _ readiness: Readiness, token: UInt64)
    throws(SystemError)
  {
    try epoll.change(number: try descriptor, readiness, token: token)
  }

  /// Takes the descriptor out of an epoll set. One that was closed is out of it already.
  public func unwatch(in epoll: borrowing Epoll) {
    guard let number = try? descriptor else { return }
    try? epoll.remove(number: number)
  }

  private var descriptor: Int32 {
    get throws(SystemError) {
      let number = unsafe csystemd_descriptor(bus)
      guard number >= 0 else { throw SystemError(.busOpen, code: -number) }
      return number
    }
  }

  // MARK: - Calls

  /// Calls a method of bluetoothd. Returns the token that the reply will have. No reply in `milliseconds` is a reply
  /// with an error.
  public func call(_ method: SystemBusCall, milliseconds: UInt32) throws(SystemError) -> UInt64 {
    var token: UInt64 = 0
    // Holds: the calls read the texts, and set the local variable.
    let result =
      switch method {
      case .listObjects: unsafe csystemd_list(bus, milliseconds, &token)
      case .registerAgent(let capability):
        unsafe csystemd_register_agent(bus, capability, milliseconds, &token)
      case .unregisterAgent: unsafe csystemd_unregister_agent(bus, milliseconds, &token)
      case .setDiscoveryFilter(let adapter): unsafe csystemd_set_filter(bus, adapter, milliseconds, &token)
      case .trust(let device): unsafe csystemd_trust(bus, device, milliseconds, &token)
      case .device(let name, let path):
        unsafe csystemd_call(bus, path, "org.bluez.Device1", name, nil, milliseconds, &token)
      case .adapter(let name, let path, nil):
        unsafe csystemd_call(bus, path, "org.bluez.Adapter1", name, nil, milliseconds, &token)
      case .adapter(let name, let path, let argument?):
        unsafe csystemd_call(bus, path, "org.bluez.Adapter1", name, argument, milliseconds, &token)
      }
    guard result == 0 else { throw SystemError(.busCall, code: -result) }
    return token
  }

  /// Replies to a question of bluetoothd, once.
  public func reply(to question: UInt64, _ answer: SystemBusAnswer) throws(SystemError) {
    let result =
      switch answer {
      case .refuse: unsafe csystemd_reply(bus, question, CSYSTEMD_REFUSE, 0)
      case .accept: unsafe csystemd_reply(bus, question, CSYSTEMD_ACCEPT, 0)
      case .digits(let digits): unsafe csystemd_reply(bus, question, CSYSTEMD_DIGITS, digits)
      }
    guard result == 0 else { throw SystemError(.busCall, code: -result) }
  }

  /// Begins or ends to follow the properties of all devices. Devices that come and go are always followed.
  public func followProperties(_ isOn: Bool) throws(SystemError) {
    let result = unsafe csystemd_follow_properties(bus, isOn ? 1 : 0)
    guard result >= 0 else { throw SystemError(.busCall, code: -result) }
  }
}
