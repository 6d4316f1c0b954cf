import EventLoop
import Glibc

/// Takes scenario lines from a Unix socket, or from standard input, and answers each with one line: `ok`, what there is
/// to say behind it, or `error` and why.
public final class ControlServer {
  private let loop: EventLoop
  private let carryOut: (String) throws -> String
  private var listener: OwnedDescriptor?
  private var path: String?
  private var watch: IOWatch?
  private var clients: [ObjectIdentifier: LineReader] = [:]

  public init(_ loop: EventLoop, carryOut: @escaping (String) throws -> String) {
    self.loop = loop
    self.carryOut = carryOut
  }

  deinit { close() }

  public func listen(at path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else { throw SystemError(code: ENAMETOOLONG, call: "bind") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }

    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let listener = OwnedDescriptor(taking: socket(AF_UNIX, type, 0))
    unlink(path)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, Glibc.listen(listener.rawValue, 16) == 0 else { throw SystemError(code: errno, call: "bind") }
    self.listener = listener
    self.path = path
    watch = try loop.watch(listener.rawValue, for: .readable) { [weak self] _ in self?.accept() }
  }

  /// Standard input, if it can be waited for; answers go to standard output.
  public func listenToStandardInput() {
    guard let input = try? OwnedDescriptor(duplicating: STDIN_FILENO) else { return }
    try? attach(input, answers: STDOUT_FILENO)
  }

  public func close() {
    watch?.cancel()
    watch = nil
    listener?.close()
    for client in clients.values { client.cancel() }
    clients = [:]
    if let path { unlink(path) }
    path = nil
  }

  private func accept() {
    guard let listener else { return }
    let client = Glibc.accept(listener.rawValue, nil, nil)
    guard client >= 0 else { return }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    _ = fcntl(client, F_SETFL, O_NONBLOCK)
    try? attach(OwnedDescriptor(taking: client), answers: client)
  }

  private func attach(_ descriptor: OwnedDescriptor, answers: Int32) throws {
    let key = ObjectIdentifier(descriptor)
    clients[key] = try LineReader(
      descriptor, loop, line: { [weak self] in self?.answer($0, on: answers) },
      ended: { [weak self] in self?.clients[key] = nil })
  }

  private func answer(_ line: String, on descriptor: Int32) {
    let answer: String
    do {
      let text = try carryOut(line)
      answer = text.isEmpty ? "ok\n" : "ok \(text)\n"
    } catch let error as ScenarioError {
      answer = "error \(error.message)\n"
    } catch {
      answer = "error \(error)\n"
    }
    // A client that does not listen misses its answer, and no more.
    if send(descriptor, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) < 0, errno == ENOTSOCK {
      _ = write(descriptor, answer, answer.utf8.count)
    }
  }
}
