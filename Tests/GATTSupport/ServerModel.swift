// SPDX-License-Identifier: GPL-3.0-or-later

public import GATT

/// An attribute of a ``ServerModel``.
public struct ModelAttribute: Sendable {
  public let handle: UInt16
  public let type: AttributeUUID
  public var value: [UInt8]
  public var isReadable = true
  public var isWritable = false
  public var needsEncryption = false
}

/// A GATT server as obvious code: attributes in a list, searched from its start for each request (Core Specification
/// 5.4, Volume 3, Part F, 3.4).
public struct ServerModel: Sendable {
  public private(set) var attributes: [ModelAttribute] = []
  /// The end of each service, by the handle of its declaration.
  private var serviceEnds: [UInt16: UInt16] = [:]
  public var mtuMax = 517
  public private(set) var mtu = 23
  public var isEncrypted = false
  /// Opcodes that the server does not know.
  public var unsupported: Set<ATTOpcode> = []
  private var prepared: [(handle: UInt16, offset: Int, part: [UInt8])] = []
  private var nextHandle: UInt16 = 1

  public init() {}

  // MARK: Building

  /// Adds a service. Returns the handle of its declaration.
  @discardableResult
  public mutating func addService(_ uuid: AttributeUUID, including included: [UInt16] = []) -> UInt16 {
    let handle = add(.primaryService, uuid.littleEndianBytes)
    for start in included {
      let service = AttributeUUID(littleEndian: value(start))
      let short = service?.short.map { AttributeUUID($0).littleEndianBytes } ?? []
      _ = add(.includedService, bytes(start) + bytes(serviceEnds[start] ?? start) + short)
    }
    return handle
  }

  /// Adds a characteristic to the last service. Returns the handle of its value.
  @discardableResult
  public mutating func addCharacteristic(
    _ uuid: AttributeUUID, properties: UInt8, value: [UInt8] = [], needsEncryption: Bool = false
  ) -> UInt16 {
    let valueHandle = nextHandle + 1
    _ = add(.characteristic, [properties] + bytes(valueHandle) + uuid.littleEndianBytes)
    _ = add(uuid, value)
    attributes[attributes.count - 1].isReadable = properties & 0x02 != 0
    attributes[attributes.count - 1].isWritable = properties & 0x0C != 0
    attributes[attributes.count - 1].needsEncryption = needsEncryption
    return valueHandle
  }

  /// Adds a descriptor to the last characteristic. Returns its handle.
  @discardableResult
  public mutating func addDescriptor(_ uuid: AttributeUUID, value: [UInt8]) -> UInt16 {
    let handle = add(uuid, value)
    attributes[attributes.count - 1].isWritable = true
    return handle
  }

  /// Leaves handles without attributes, as servers do before a service.
  public mutating func skipHandles(_ count: UInt16) { nextHandle += count }

  private mutating func add(_ type: AttributeUUID, _ value: [UInt8]) -> UInt16 {
    let handle = nextHandle
    if let service = attributes.last(where: { $0.type == .primaryService }), type != .primaryService {
      serviceEnds[service.handle] = handle
    } else {
      serviceEnds[handle] = handle
    }
    attributes.append(ModelAttribute(handle: handle, type: type, value: value))
    nextHandle += 1
    return handle
  }

  private func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }

  // MARK: Values

  public func value(_ handle: UInt16) -> [UInt8] { attributes.first { $0.handle == handle }?.value ?? [] }

  public mutating func setValue(_ handle: UInt16, _ value: [UInt8]) {
    guard let index = attributes.firstIndex(where: { $0.handle == handle }) else { return }
    attributes[index].value = value
  }

  /// The packet that reports a new value to a client that subscribed; nil when none did.
  public mutating func report(_ handle: UInt16, _ value: [UInt8]) -> [UInt8]? {
    setValue(handle, value)
    let descriptors = attributes.drop { $0.handle <= handle }.prefix { $0.type != .characteristic }
    let part = Array(value.prefix(mtu - 3))
    return switch descriptors.first(where: { $0.type == .clientConfiguration })?.value.first {
    case 1: ATTPacket.notification(handle, part).bytes
    case 2: ATTPacket.indication(handle, part).bytes
    default: nil
    }
  }

  // MARK: Requests

  /// Returns the response to a packet; nil for a command and a confirmation.
  public mutating func response(to bytes: [UInt8]) -> [UInt8]? {
    guard let request = try? ATTPacket(parsing: bytes) else {
      return ATTPacket.errorResponse(request: bytes.first ?? 0, handle: 0, code: .invalidPacket).bytes
    }
    if unsupported.contains(request.opcode) { return refusal(of: request, 0, .requestNotSupported) }
    return respond(to: request)
  }

  private func refusal(of request: ATTPacket, _ handle: UInt16, _ code: ATTErrorCode) -> [UInt8] {
    ATTPacket.errorResponse(request: request.opcode.rawValue, handle: handle, code: code).bytes
  }

  private mutating func respond(to request: ATTPacket) -> [UInt8]? {
    switch request {
    case .exchangeMTURequest(let theirs):
      mtu = max(23, min(Int(theirs), mtuMax))
      return ATTPacket.exchangeMTUResponse(UInt16(mtuMax)).bytes
    case .findInformationRequest(let range): return findInformation(request, range)
    case .findByTypeValueRequest(let range, let type, let value): return find(request, range, type, value)
    case .readByTypeRequest(let range, let type): return readByType(request, range, type)
    case .readByGroupTypeRequest(let range, let type): return readByGroup(request, range, type)
    case .readRequest(let handle): return read(request, handle, from: 0)
    case .readBlobRequest(let handle, let offset): return read(request, handle, from: Int(offset))
    case .writeRequest(let handle, let value):
      if let code = obstacleToWriting(handle) { return refusal(of: request, handle, code) }
      setValue(handle, value)
      return ATTPacket.writeResponse.bytes
    case .writeCommand(let handle, let value):
      if obstacleToWriting(handle) == nil { setValue(handle, value) }
      return nil
    case .prepareWriteRequest(let handle, let offset, let part):
      if let code = obstacleToWriting(handle) { return refusal(of: request, handle, code) }
      prepared.append((handle, Int(offset), part))
      return ATTPacket.prepareWriteResponse(handle, offset: offset, part).bytes
    case .executeWriteRequest(let isWriting): return execute(request, isWriting)
    default: return nil
    }
  }

  private func found(_ range: HandleRange, _ type: AttributeUUID) -> [ModelAttribute] {
    attributes.filter { range.contains($0.handle) && $0.type == type }
  }

  private func findInformation(_ request: ATTPacket, _ range: HandleRange) -> [UInt8] {
    let all = attributes.filter { range.contains($0.handle) }
    guard let first = all.first else { return refusal(of: request, range.start, .attributeNotFound) }
    let isShort = first.type.short != nil
    let types = all.prefix { ($0.type.short != nil) == isShort }.prefix((mtu - 2) / (isShort ? 4 : 18))
    return ATTPacket.findInformationResponse(types.map { AttributeType(handle: $0.handle, uuid: $0.type) })
      .bytes
  }

  private func find(_ request: ATTPacket, _ range: HandleRange, _ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    let ranges = found(range, AttributeUUID(type)).filter { $0.value == value }
      .compactMap { HandleRange($0.handle, serviceEnds[$0.handle] ?? $0.handle) }.prefix((mtu - 1) / 4)
    guard !ranges.isEmpty else { return refusal(of: request, range.start, .attributeNotFound) }
    return ATTPacket.findByTypeValueResponse(Array(ranges)).bytes
  }

  private func readByType(_ request: ATTPacket, _ range: HandleRange, _ type: AttributeUUID) -> [UInt8] {
    let all = found(range, type)
    guard let first = all.first else { return refusal(of: request, range.start, .attributeNotFound) }
    let count = min(first.value.count, mtu - 4, 253)
    let same = all.prefix { $0.value.count == first.value.count }.prefix((mtu - 2) / (2 + count))
    let values = same.map { AttributeValue(handle: $0.handle, value: Array($0.value.prefix(count))) }
    return ATTPacket.readByTypeResponse(values).bytes
  }

  private func readByGroup(_ request: ATTPacket, _ range: HandleRange, _ type: AttributeUUID) -> [UInt8] {
    guard type == .primaryService else { return refusal(of: request, range.start, .unsupportedGroupType) }
    let all = found(range, type)
    guard let first = all.first else { return refusal(of: request, range.start, .attributeNotFound) }
    let same = all.prefix { $0.value.count == first.value.count }.prefix((mtu - 2) / (4 + first.value.count))
    let groups = same.compactMap { service in
      HandleRange(service.handle, serviceEnds[service.handle] ?? service.handle)
        .map { AttributeGroup(range: $0, value: service.value) }
    }
    return ATTPacket.readByGroupTypeResponse(groups).bytes
  }

  private func read(_ request: ATTPacket, _ handle: UInt16, from offset: Int) -> [UInt8] {
    guard let attribute = attributes.first(where: { $0.handle == handle }) else {
      return refusal(of: request, handle, .invalidHandle)
    }
    guard attribute.isReadable else { return refusal(of: request, handle, .readNotPermitted) }
    guard isEncrypted || !attribute.needsEncryption else {
      return refusal(of: request, handle, .insufficientEncryption)
    }
    guard offset <= attribute.value.count else { return refusal(of: request, handle, .invalidOffset) }
    let part = Array(attribute.value.dropFirst(offset).prefix(mtu - 1))
    if case .readRequest = request { return ATTPacket.readResponse(part).bytes }
    return ATTPacket.readBlobResponse(part).bytes
  }

  private func obstacleToWriting(_ handle: UInt16) -> ATTErrorCode? {
    guard let attribute = attributes.first(where: { $0.handle == handle }) else { return .invalidHandle }
    guard attribute.isWritable else { return .writeNotPermitted }
    return isEncrypted || !attribute.needsEncryption ? nil : .insufficientEncryption
  }

  private mutating func execute(_ request: ATTPacket, _ isWriting: Bool) -> [UInt8] {
    defer { prepared = [] }
    guard isWriting else { return ATTPacket.executeWriteResponse.bytes }
    for (handle, offset, part) in prepared {
      // The first part of a value replaces it.
      let before = offset == 0 ? [] : value(handle)
      guard offset <= before.count else { return refusal(of: request, handle, .invalidOffset) }
      setValue(handle, before.prefix(offset) + part)
    }
    return ATTPacket.executeWriteResponse.bytes
  }
}
