import CDBus
import EventLoop

@testable import BlueZ
@testable import DBus

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
  /// Whatever signal it is.
  func follow(_ message: MessageView) {
    interfacesAdded(message)
    interfacesRemoved(message)
    propertiesChanged(message)
    deviceDisconnected(message)
  }
}
