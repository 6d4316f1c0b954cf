import CJacquard
import DBus
import EventLoop
import Glibc
import PrivateBus
import TagSimulator

/// A manager that is connected to a tag with gear, on a bus with a simulated bluetoothd. It is used for one input after
/// the other as long as the connection is up.
final class ConnectedTag {
  nonisolated(unsafe) private static var present: ConnectedTag?

  private let bus: PrivateBus
  private let loop: EventLoop
  private let world: SimulatedWorld
  private let daemon: FakeBlueZ
  private(set) var manager: OpaquePointer?
  private(set) var connection: OpaquePointer?
  /// The tag in the last state that the connection reported.
  private(set) var tag: OpaquePointer?
  private(set) var component: OpaquePointer?
  private(set) var gear: OpaquePointer?

  /// The existing one, or a new one if its tag is no longer connected.
  static func ready() throws -> ConnectedTag {
    if let present, present.isConnected { return present }
    // The new one has another bus address. The threads and descriptors of the old one are released first.
    present = nil
    let made = try ConnectedTag()
    if present == nil { atexit { ConnectedTag.present = nil } }
    present = made
    return made
  }

  private init() throws {
    bus = try PrivateBus(abstract: true)
    loop = try EventLoop()
    world = SimulatedWorld(clock: SimulationClock(loop, scale: 1000))
    daemon = FakeBlueZ(try BusAddress(bus.address), clock: world.clock)
    world.inhabit(daemon)
    _ = try world.control("gear attach levis-trucker")
    // The tag's time passes quickly: without this, a tag that is idle while a busy machine delays this process would
    // end the link.
    _ = try world.control("sleep-after 10000min")
    loop.spawn { [daemon] in _ = try? await daemon.start() }
    var options = jacquard_manager_options()
    options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
    let status = bus.address.withCString { address in
      "/proc/nonexistent".withCString { directory in
        (options.bus_address, options.state_directory) = (address, directory)
        return jacquard_manager_new(&options, &manager)
      }
    }
    require(status == 0, "no manager with a bus")
    try connect()
  }

  deinit {
    for handle in [gear, component] { jacquard_component_unref(handle) }
    jacquard_tag_unref(tag)
    jacquard_connection_unref(connection)
    jacquard_manager_unref(manager)
    daemon.kill()
    loop.close()
    loop.drain()
  }

  private func connect() throws {
    var options = jacquard_connect_options()
    options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
    options.wait_for_adapter = 1
    let context = Unmanaged.passUnretained(self).toOpaque()
    let status = jacquard_manager_connect(
      manager, "ae7dc88c-1437-5d1e-a862-ce1037371c9a", &options,
      { state, context in
        guard let state = state?.pointee, state.phase == JACQUARD_PHASE_CONNECTED.rawValue, let context else { return }
        Unmanaged<ConnectedTag>.fromOpaque(context).takeUnretainedValue().linked(state.tag)
      }, context, nil, &connection)
    require(status == 0, "the tag cannot be connected to")
    jacquard_connection_on_gear(
      connection,
      { gear, context in
        guard let gear = gear?.pointee, let context else { return }
        Unmanaged<ConnectedTag>.fromOpaque(context).takeUnretainedValue().attached(gear.component)
      }, context, nil, nil)
    let end = time(nil) + 120
    while !isConnected || gear == nil {
      require(time(nil) < end, "the tag is not connected")
      wait()
    }
  }

  private func linked(_ tag: OpaquePointer?) {
    jacquard_tag_unref(self.tag)
    jacquard_component_unref(component)
    self.tag = jacquard_tag_ref(tag)
    component = nil
    jacquard_tag_get_component(tag, &component)
  }

  private func attached(_ component: OpaquePointer?) {
    jacquard_component_unref(gear)
    gear = jacquard_component_ref(component)
  }

  private var isConnected: Bool { jacquard_connection_get_phase(connection) == JACQUARD_PHASE_CONNECTED.rawValue }

  /// Handles, each with a reference that the caller must release.
  func references() -> [OpaquePointer?] {
    [
      jacquard_connection_ref(connection), jacquard_tag_ref(tag), jacquard_component_ref(component),
      jacquard_component_ref(gear),
    ]
  }

  /// Runs the ready work of both sides.
  func turn() {
    for _ in 0..<4 {
      try? loop.dispatch()
      jacquard_manager_dispatch(manager)
    }
  }

  private func wait() {
    var descriptors = [
      pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: jacquard_manager_get_fd(manager), events: Int16(POLLIN), revents: 0),
    ]
    poll(&descriptors, 2, 1000)
    turn()
  }
}
