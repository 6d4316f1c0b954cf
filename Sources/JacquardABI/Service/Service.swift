import CJacquard
import EventLoop
import Glibc
import Jacquard
import Sharing

@_cdecl("jacquard_service_run") @implementation
public func jacquard_service_run(
  _ options: UnsafePointer<jacquard_service_options>?, _ callback: jacquard_log_callback?,
  _ userData: UnsafeMutableRawPointer?
) -> CInt {
  status {
    let given = try Arguments.options(options) ?? jacquard_service_options()
    var chosen = Service.Options(lingering: .milliseconds(Int(given.linger_ms)))
    chosen.busAddress = try Arguments.string(given.bus_address, "bus_address")
    let path = try Arguments.directory(given.socket_path, "socket_path")
    let socket = try Arguments.flag(given.has_socket, "has_socket") ? given.socket : nil
    let stop = try Arguments.flag(given.has_stop, "has_stop") ? given.stop : nil
    let process = try ServiceProcess(chosen) { line in
      guard let callback else { return StandardErrorLog.write(line) }
      withC(line) { callback($0, userData) }
    }
    defer { process.close() }
    try process.listen(path, inherited: socket)
    try process.run(until: stop, idle: given.idle_ms > 0 ? .milliseconds(Int(given.idle_ms)) : nil)
    return 0
  }
}

/// A process that is the service.
private final class ServiceProcess {
  private let loop: EventLoop
  private let service: Service
  private let supervisor: Supervisor
  private var listener: ServiceListener?
  private var stopWatch: IOWatch?
  private var idleTimer: LoopTimer?
  private var isOver = false

  init(_ options: Service.Options, log: @escaping Log.Sink) throws {
    loop = try EventLoop()
    service = try Service(options, loop: loop, log: log)
    supervisor = Supervisor(loop)
  }

  /// - Parameters:
  ///   - path: nil: `socket`, or that of the user's service.
  ///   - socket: a socket that already listens.
  func listen(_ path: String?, inherited socket: Int32?) throws {
    let accepted: (ProgramChannel) -> Void = { [service] in service.accept($0) }
    do throws(SharingError) {
      if let path {
        listener = try ServiceListener(path, loop: loop, accepted: accepted)
      } else if let socket {
        listener = try ServiceListener(inherited: socket, loop: loop, accepted: accepted)
      } else {
        listener = try ServiceListener(RuntimeDirectory.find().path + "/socket", loop: loop, accepted: accepted)
      }
    } catch {
      if error.code == EADDRINUSE {
        throw JacquardError(.busy, error.message, advice: "Use the service that runs, or end it first.")
      }
      throw JacquardError(error)
    }
  }

  func run(until stop: Int32?, idle: Duration?) throws {
    if let stop { stopWatch = try loop.watch(stop, for: .readable) { [weak self] _ in self?.isOver = true } }
    service.uses.add { [weak self] in self?.limitIdleness(isUsed: $0, idle) }
    limitIdleness(isUsed: false, idle)
    supervisor.isReady()
    while !isOver {
      try loop.dispatch()
      if isOver { break }
      var state = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&state, 1, -1)
    }
    supervisor.isStopping()
  }

  private func limitIdleness(isUsed: Bool, _ limit: Duration?) {
    idleTimer?.cancel()
    guard let limit, !isUsed else { return }
    idleTimer = loop.schedule(after: limit) { [weak self] in self?.isOver = true }
  }

  func close() {
    stopWatch?.cancel()
    listener?.close()
    service.close()
    loop.close()
    loop.drain()
  }
}
