import CDBus
import EventLoop

@testable import BlueZ
@testable import DBus

extension Target {
  /// One frame of the bus. The library's own reading must agree with libdbus: a value in place, a reply without a
  /// value, and the arguments of a message.
  static let frames = Target(name: "frames") { input in
    // The stream cuts frames by their lengths.
    guard input.count >= Frame.shortest, let start = input.baseAddress, let (header, body) = Frame.lengths(start),
      header + body == input.count
    else { return }
    let frame = Frame(bytes: input, header: header)
    let message = dbus_message_demarshal(start.assumingMemoryBound(to: CChar.self), Int32(input.count), nil)
    defer { if let message { dbus_message_unref(message) } }
    let view = message.map { MessageView(pointer: $0) }
    let arguments = view.flatMap { MessageReader.rest($0.reader) }

    if let value = KnownFrames.value.value(in: frame) {
      require(arguments?.dropFirst().first?["Value"]?.asBytes == Array(value), "another value than libdbus's")
      require(view?.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged") ?? false, "another signal")
    }
    if let serial = KnownFrames.reply.replySerial(of: frame) {
      require(view?.kind == .methodReturn && view?.replySerial == serial, "another reply than libdbus's")
      require(arguments == [], "a reply with a value")
    }
    guard let view, let arguments else { return }
    let signature = view.signature.map { String(cString: $0) } ?? ""
    let parsed = BodyParser.values(signature, UnsafeRawBufferPointer(rebasing: input[header...]), [])
    // NaN is not equal to itself.
    require(parsed == arguments || "\(arguments)".contains("nan"), "other arguments than libdbus's")
    if let template = FrameTemplate(frame, valueOf: arguments.dropFirst().first?["Value"]?.asBytes?.count ?? 0) {
      require(template.value(in: frame) != nil, "a frame is unlike itself")
    }
    require(
      EmptyReply(view, frame).map { $0.replySerial(of: frame) == view.replySerial } ?? true, "a reply is unlike itself")
  }
}

/// A notification and a reply as bluetoothd sends them.
enum KnownFrames {
  static var valueBytes: [UInt8] {
    bytes {
      try .signal(
        path: "/org/bluez/hci0/dev_00_11_22_33_44_55/service0010/char0011",
        interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        ["org.bluez.GattCharacteristic1", ["Value": .bytes([1, 2, 3, 4, 5])], .strings([])])
    }
  }

  static var replyBytes: [UInt8] {
    bytes {
      let call = try Message.methodCall(destination: ":1.2", path: "/a", interface: "x.y", member: "Z")
      dbus_message_set_serial(call.pointer, 5)
      return try .reply(to: call)
    }
  }

  static let value = frame(valueBytes) { frame, _ in FrameTemplate(frame, valueOf: 5) }
  nonisolated(unsafe) static let reply = frame(replyBytes) { frame, view in EmptyReply(view, frame) }

  private static func bytes(_ make: () throws -> Message) -> [UInt8] {
    guard let message = try? make() else { fatalError("no message") }
    dbus_message_set_sender(message.pointer, ":1.1")
    dbus_message_set_serial(message.pointer, 7)
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    dbus_message_marshal(message.pointer, &bytes, &count)
    defer { dbus_free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  private static func frame<Known>(_ bytes: [UInt8], _ make: (Frame, MessageView) -> Known?) -> Known {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let (header, _) = Frame.lengths(start),
        let message = dbus_message_demarshal(start.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
      else { fatalError("no frame") }
      defer { dbus_message_unref(message) }
      let frame = Frame(bytes: bytes, header: header)
      guard let known = make(frame, MessageView(pointer: message)) else { fatalError("not recognised") }
      return known
    }
  }
}

extension Target {
  /// A whole D-Bus message as a bus forwards it, through the cache; the values read from it can be sent again.
  static let messages = Target(name: "messages") { input in
    guard let bytes = input.baseAddress, let count = Int32(exactly: input.count),
      let pointer = dbus_message_demarshal(bytes.assumingMemoryBound(to: CChar.self), count, nil)
    else { return }
    defer { dbus_message_unref(pointer) }
    let view = MessageView(pointer: pointer)
    let traffic = PeerTraffic(":1.1")
    traffic.note(view.sender, view.serial)
    let cache = ObjectCache(loop: try EventLoop(clock: .virtual(VirtualClock())))
    cache.follow(view)
    cache.follow(view)
    guard let body = MessageReader.rest(view.reader) else { return }
    var reader = view.reader
    var objects = reader.enter()
    while cache.load(from: &objects) {}
    guard let copy = try? Message.signal(path: "/", interface: "x.y", member: "M", body) else { return }
    require(copy.body().map(\.signature) == body.map(\.signature), "read otherwise than written")
    cache.clear()
  }
}

extension ObjectCache {
  /// Handles a signal of any kind.
  func follow(_ message: MessageView) {
    interfacesAdded(message)
    interfacesRemoved(message)
    propertiesChanged(message)
    deviceDisconnected(message)
  }
}
