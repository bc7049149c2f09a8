// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import Glibc
public import Varlink

/// An agent at a real socket whose replies a test scripts. Each connection has a thread of its own, and may make many
/// calls.
public final class SocketAgent: Sendable {
  /// Replies to a call, in order; each is a whole message without its NUL.
  public typealias Script = @Sendable (Call, Connection) -> Void

  /// One client's connection.
  public final class Connection: Sendable {
    private let descriptor: Int32
    private let isOpen = Locked(true)
    fileprivate let latest: Locked<Connection?>

    fileprivate init(_ descriptor: Int32, _ latest: Locked<Connection?>) {
      (self.descriptor, self.latest) = (descriptor, latest)
    }

    /// The connection of the session that was activated last.
    public var stream: Connection? { latest.withLock { $0 } }

    public func send(_ text: String) { send(bytes: Array(text.utf8) + [0]) }

    public func send(bytes: [UInt8]) {
      var rest = bytes[...]
      while !rest.isEmpty, isOpen.withLock({ $0 }) {
        let count = unsafe rest.withUnsafeBytes {
          unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }

    /// Sends a text with a descriptor beside its first byte.
    public func send(_ text: String, descriptor passed: Int32) {
      var bytes = Array(text.utf8) + [0]
      var control = [UInt8](repeating: 0, count: 24)
      control[0] = 20
      control[8] = UInt8(SOL_SOCKET)
      control[12] = UInt8(SCM_RIGHTS)
      for index in 0..<4 { control[16 + index] = UInt8(truncatingIfNeeded: passed >> (8 * Int32(index))) }
      unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe control.withUnsafeMutableBytes { controlBuffer in
          var part = unsafe iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
          unsafe withUnsafeMutablePointer(to: &part) { part in
            var message = unsafe msghdr()
            unsafe message.msg_iov = part
            unsafe message.msg_iovlen = 1
            unsafe message.msg_control = controlBuffer.baseAddress
            unsafe message.msg_controllen = controlBuffer.count
            _ = unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
          }
        }
      }
    }

    /// Whether the client has not closed the connection.
    fileprivate var isInUse: Bool {
      isOpen.withLock { isOpen in
        var byte: UInt8 = 0
        return unsafe isOpen && recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) != 0
      }
    }

    /// Breaks the connection. The descriptor is closed by the thread that reads it.
    public func close() {
      isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    /// Reads calls until the client closes.
    fileprivate func serve(_ script: Script) {
      var frames = FrameBuffer(frameBytesMax: 1 << 20)
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes {
          unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
        }
        guard count > 0 else { break }
        frames.append(buffer.span.extracting(0..<count))
        while let received = ((try? frames.takeMessage(at: .zero) { ReceivedCall(reading: $0) }) ?? nil) {
          if case .call(let call) = received { script(call, self) }
        }
      }
      end()
    }

    fileprivate func end() {
      isOpen.withLock { isOpen in
        isOpen = false
        Glibc.close(descriptor)
      }
    }
  }

  public let path: String
  private let accepts: @Sendable (Connection) -> Bool
  private let script: Script
  private let listener = Locked<Int32>(-1)
  private let latest = Locked<Connection?>(nil)
  private let connections = Locked<[Connection]>([])
  private let largest = Locked(0)
  /// The names of the methods that were called, in order.
  private let methods = Locked<[String]>([])

  /// Listens at a path of its own, or at one that was used before. A connection that it does not accept is closed at once,
  /// its calls unread.
  public init(
    path: String? = nil, accepts: @escaping @Sendable (Connection) -> Bool = { _ in true },
    _ script: @escaping Script
  ) {
    self.path = path ?? "\(FileManager.default.temporaryDirectory.path)/ask-\(UUID().uuidString.prefix(8))"
    (self.accepts, self.script) = (accepts, script)
    listen()
  }

  /// Opens sessions with these accessories, and replies to other calls as `replies` says for their methods, or with no
  /// parameters.
  public convenience init(
    path: String? = nil, accessories: [String] = [], _ replies: [String: @Sendable (Connection) -> Void] = [:]
  ) {
    self.init(path: path) { call, connection in
      if let reply = replies[call.method] {
        reply(connection)
      } else if call.method == "Activate" {
        Self.activate(connection, accessories)
      } else {
        connection.send(Self.reply())
      }
    }
  }

  private func listen() {
    _ = unsafe unlink(path)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      for (index, byte) in bytes.enumerated() { unsafe field[index] = byte }
    }
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(bound == 0 && Glibc.listen(listener, 16) == 0, "the socket cannot be listened at")
    self.listener.withLock { $0 = listener }
    Thread.detachNewThread { [self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else {
          Glibc.close(listener)
          return
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let connection = Connection(descriptor, latest)
        guard accepts(connection) else {
          connection.end()
          continue
        }
        connections.withLock { connections in
          connections.removeAll { !$0.isInUse }
          connections.append(connection)
          let count = connections.count
          largest.withLock { $0 = max($0, count) }
        }
        Thread.detachNewThread { [self] in
          connection.serve { call, connection in
            methods.withLock { $0.append(call.method) }
            script(call, connection)
          }
        }
      }
    }
  }

  /// How many connections there were at a time, at most.
  public var connectionsMax: Int { largest.withLock { $0 } }

  public var calledMethods: [String] { methods.withLock { $0 } }

  /// Removes the socket and creates it again, so that no client can connect for a moment, as during a restart.
  public func restart() {
    shutdown(listener.withLock { $0 }, Int32(SHUT_RDWR))
    listen()
  }

  /// Ends the agent: nothing listens any more, and all connections break.
  public func stop() {
    shutdown(listener.withLock { $0 }, Int32(SHUT_RDWR))
    _ = unsafe unlink(path)
    latest.withLock { $0 = nil }
    for connection in connections.withLock({ $0 }) { connection.close() }
  }

  // MARK: - Replies

  public static let token = String(repeating: "5", count: 32)
  public static let epoch = String(repeating: "e", count: 32)

  public static func identifier(_ digit: Character) -> String { String(repeating: digit, count: 32) }

  public static func accessory(_ digit: Character, name: String = "Lamp", state: Int = 20) -> String {
    "{\"identifier\":\"\(identifier(digit))\",\"displayName\":\"\(name)\",\"state\":\(state),"
      + "\"descriptor\":{\"bluetoothServiceUUID\":\"FE0F\",\"bluetoothCompanyIdentifier\":76},"
      + "\"bluetoothIdentifier\":\"00112233445566778899aabbccddeeff\",\"ssid\":\"Net\","
      + "\"bluetoothTransportBridgingIdentifier\":\"0102030405ff\",\"bond\":\"bonded\",\"isIdentityDurable\":true}"
  }

  public static func reply(_ parameters: String = "{}", continues: Bool = false) -> String {
    "{\"parameters\":\(parameters)\(continues ? ",\"continues\":true" : "")}"
  }

  public static func event(
    _ name: String, _ type: Int?, _ sequence: Int, _ more: String = "", epoch: String = epoch
  ) -> String {
    reply("{\(eventMember(name, type, sequence, more, epoch: epoch))}", continues: true)
  }

  /// The member `event` of a reply.
  public static func eventMember(
    _ name: String, _ type: Int?, _ sequence: Int, _ more: String = "", epoch: String = epoch
  ) -> String {
    let type = type.map { ",\"eventType\":\($0)" } ?? ""
    let more = more.isEmpty ? "" : "," + more
    return
      "\"event\":{\"sequence\":\(sequence),\"epoch\":\"\(epoch)\",\"time\":1.0,\"event\":\"\(name)\"\(type)\(more)}"
  }

  public static func failure(_ name: String, _ code: Int, field: String? = "items") -> String {
    let field = field.map { "\"field\":\"\($0)\"," } ?? ""
    return "{\"error\":\"io.accessoryd.Session.\(name)\",\"parameters\":{\"code\":\(code),\(field)"
      + "\"reason\":\"why\",\"cure\":\"what\"}}"
  }

  /// Replies to ShowPicker, and says that the picker is there. Returns the member that names it.
  @discardableResult
  public static func presentPicker(_ connection: Connection) -> String {
    let picker = "\"picker\":\"\(UUID())\""
    connection.send(reply("{\(picker)}"))
    connection.stream?.send(event("pickerDidPresent", 40, 0, picker))
    return picker
  }

  /// Replies to ShowPicker, and sends the events of a picker that adds accessory 1.
  public static func addAccessory(_ connection: Connection) {
    let picker = presentPicker(connection)
    connection.stream?.send(event("accessoryAdded", 30, 1, "\"accessory\":\(accessory("1"))"))
    connection.stream?.send(event("pickerDidDismiss", 50, 2, picker))
    connection.stream?.send(event("pickerFinished", nil, 3, picker))
  }

  /// Begins a stream of advertisements, with one of each of these accessories.
  public static func advertise(
    _ connection: Connection, _ accessories: [Character] = ["1"], data: String, rssi: Int = -40
  ) {
    connection.send(reply("{\"epoch\":\"\(epoch)\",\"sequence\":0}", continues: true))
    for (sequence, digit) in accessories.enumerated() {
      connection.send(
        reply(
          "{\"advertisement\":{\"sequence\":\(sequence),\"epoch\":\"\(epoch)\","
            + "\"identifier\":\"\(identifier(digit))\",\"rssi\":\(rssi),\"data\":\"\(data)\","
            + "\"event\":\"found\",\"inSight\":true,\"connectable\":true,\"time\":1,\"age\":0.5}}",
          continues: true))
    }
  }

  /// The two replies that open a session.
  public static func activate(
    _ connection: Connection, _ accessories: [String] = [], token: String = token
  ) {
    connection.latest.withLock { $0 = connection }
    connection.send(
      reply(
        "{\"session\":\"\(token)\",\"app\":\"lights\",\"epoch\":\"\(epoch)\",\"sequence\":0,\"radio\":\"on\"}",
        continues: true))
    let list = "[\(accessories.joined(separator: ","))]"
    connection.send(
      reply("{\"accessories\":\(list),\(eventMember("activated", 10, 0))}", continues: true))
  }
}
