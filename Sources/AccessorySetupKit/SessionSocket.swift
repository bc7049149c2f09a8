// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Why the agent's socket could not be opened.
struct SocketError: Error {
  let reason: String
  let cure: String
  /// Trying again is useless.
  let isPermanent: Bool
  /// No descriptor is free.
  var isExhausted = false
}

/// A connection to the agent's socket. Everything happens on one queue.
final class SessionSocket: @unchecked Sendable {
  enum Event {
    /// It came with the bytes that follow.
    case descriptor(Int32)
    /// One came with the bytes that follow, and none was free for it.
    case lostDescriptor
    case bytes([UInt8])
    /// The agent closed the connection. Nothing follows.
    case end
  }

  private static let chunkByteCount = 16 << 10
  /// Space for the headers of a few control messages; the agent sends one descriptor at most.
  private static let controlByteCount = 128

  private let descriptor: Int32
  private let watch: SocketWatch
  private var waiting: [UInt8] = []

  /// Connects. The events come on `queue`.
  init(path: String, queue: DispatchQueue, receive: @escaping @Sendable (Event) -> Void) throws(SocketError) {
    let descriptor = try Self.connect(to: path)
    guard let watch = SocketWatch(descriptor, queue: queue) else {
      let number = errno
      Self.close(descriptor)
      throw Self.failure("\(path) cannot be watched", number)
    }
    (self.descriptor, self.watch) = (descriptor, watch)
    watch.activate { [self] in
      if watch.isAwaitingSpace { flush() }
      while !watch.isCancelled, let event = read() { receive(event) }
    } ended: {
      Self.close(descriptor)
    }
  }

  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  /// Closes the connection; no event follows.
  func close() {
    guard !watch.isCancelled else { return }
    for case .descriptor(let passed) in held { Self.close(passed) }
    held = []
    // The descriptor is closed a little later; the agent counts the connection until then.
    shutdown(descriptor, Int32(SHUT_RDWR))
    watch.cancel()
  }

  // MARK: - Sending

  func send(_ bytes: [UInt8]) {
    waiting += bytes
    flush()
  }

  private func flush() {
    while !waiting.isEmpty {
      let count = unsafe waiting.withUnsafeBytes { bytes in
        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      // After any other error the reader learns of the end.
      guard count >= 0 else {
        return errno == EAGAIN || errno == EINTR ? watch.awaitSpace(true) : waiting.removeAll()
      }
      waiting.removeFirst(count)
    }
    watch.awaitSpace(false)
  }

  // MARK: - Receiving

  private var held: [Event] = []

  /// The next event; nil when nothing has been received.
  private func read() -> Event? {
    if !held.isEmpty { return held.removeFirst() }
    var bytes = [UInt8](repeating: 0, count: Self.chunkByteCount)
    var control = [UInt8](repeating: 0, count: Self.controlByteCount)
    var (controlCount, isCut) = (0, false)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe control.withUnsafeMutableBytes { controlBuffer in
        var part = unsafe iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
        return unsafe withUnsafeMutablePointer(to: &part) { part in
          var message = unsafe msghdr()
          unsafe message.msg_iov = part
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = controlBuffer.baseAddress
          unsafe message.msg_controllen = controlBuffer.count
          let flags = Int32(MSG_CMSG_CLOEXEC) | Int32(MSG_DONTWAIT)
          let count = unsafe recvmsg(descriptor, &message, flags)
          controlCount = unsafe count < 0 ? 0 : Int(message.msg_controllen)
          isCut = unsafe count >= 0 && message.msg_flags & Int32(MSG_CTRUNC) != 0
          return count
        }
      }
    }
    guard count >= 0 else { return errno == EAGAIN || errno == EINTR ? nil : .end }
    held = Self.descriptors(control.prefix(controlCount)).map { .descriptor($0) }
    if isCut, held.isEmpty { held = [.lostDescriptor] }
    held.append(count == 0 ? .end : .bytes(Array(bytes.prefix(count))))
    return held.removeFirst()
  }

  /// The descriptors in control messages (`SCM_RIGHTS`), each an aligned header and an array of integers.
  private static func descriptors(_ control: ArraySlice<UInt8>) -> [Int32] {
    let alignment = MemoryLayout<Int>.size
    let headerCount = MemoryLayout<cmsghdr>.size
    func integer(at start: Int, byteCount: Int) -> Int {
      control[start..<(start + byteCount)].enumerated().reduce(0) { value, byte in
        value | Int(byte.element) << (8 * byte.offset)
      }
    }
    var descriptors: [Int32] = []
    var start = control.startIndex
    while start + headerCount <= control.endIndex {
      let length = integer(at: start, byteCount: alignment)
      guard length >= headerCount, start + length <= control.endIndex else { break }
      if integer(at: start + alignment, byteCount: 4) == Int(SOL_SOCKET),
        integer(at: start + alignment + 4, byteCount: 4) == Int(SCM_RIGHTS)
      {
        for position in stride(from: start + headerCount, to: start + length - 3, by: 4) {
          descriptors.append(Int32(truncatingIfNeeded: integer(at: position, byteCount: 4)))
        }
      }
      start += (length + alignment - 1) / alignment * alignment
    }
    return descriptors
  }

  // MARK: - Connecting

  private static func connect(to path: String) throws(SocketError) -> Int32 {
    var address = sockaddr_un()
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
      throw SocketError(
        reason: "\"\(path)\" is not a path of 1 to \(capacity - 1) bytes", cure: pathCure, isPermanent: true)
    }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      for (index, byte) in bytes.enumerated() { unsafe field[index] = byte }
    }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw failure("no socket can be opened", errno) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let number = errno
      close(descriptor)
      throw failure("\(path) cannot be connected to", number)
    }
    return descriptor
  }

  private static func failure(_ what: String, _ number: Int32) -> SocketError {
    let cure =
      switch number {
      case ENOENT, ENOTDIR: "start accessoryd, or \(pathCure)"
      case ECONNREFUSED, EPROTOTYPE: "start accessoryd; if it runs, \(pathCure)"
      case EACCES, EPERM:
        "let this account open the socket and the folders above it; a container is given its app's own"
      default: "check that accessoryd runs"
      }
    return SocketError(
      reason: "\(what): \(unsafe String(cString: strerror(number)))", cure: cure, isPermanent: false,
      isExhausted: number == EMFILE || number == ENFILE)
  }

  private static let pathCure = "give the path of its socket in ACCESSORYD_SOCKET"
}
