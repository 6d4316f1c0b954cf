import EventLoop
import Glibc

/// Reads scenario lines from a Unix socket or standard input, and replies to each with one line: `ok` and a result, or
/// `error` and the reason.
public final class ControlServer {
  private let loop: EventLoop
  private let carryOut: (String) throws -> String
  private var listener: UnixListener?
  private var clients: [ObjectIdentifier: LineReader] = [:]

  public init(_ loop: EventLoop, carryOut: @escaping (String) throws -> String) {
    self.loop = loop
    self.carryOut = carryOut
  }

  deinit { close() }

  public func listen(at path: String) throws {
    listener = try UnixListener(loop, path: path) { [weak self] client in
      try? self?.attach(client, answers: client.rawValue)
    }
  }

  /// Standard input, if it can be polled; replies go to standard output.
  public func listenToStandardInput() {
    guard let input = try? SharedDescriptor(duplicating: STDIN_FILENO) else { return }
    try? attach(input, answers: STDOUT_FILENO)
  }

  public func close() {
    listener?.close()
    listener = nil
    for client in clients.values { client.cancel() }
    clients = [:]
  }

  private func attach(_ descriptor: SharedDescriptor, answers: Int32) throws {
    let key = ObjectIdentifier(descriptor)
    clients[key] = try LineReader(
      descriptor, loop, line: { [weak self] in self?.answer($0, on: answers) },
      ended: { [weak self] in self?.clients[key] = nil })
  }

  private func answer(_ line: String, on descriptor: Int32) {
    let answer: String
    do {
      let text = try carryOut(line)
      answer = text.isEmpty ? "ok\n" : "ok \(text.printable)\n"
    } catch let error as ScenarioError {
      answer = "error \(error.message.printable)\n"
    } catch {
      answer = "error \("\(error)".printable)\n"
    }
    // If a client does not read, it only misses its reply.
    if send(descriptor, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) < 0, errno == ENOTSOCK {
      _ = write(descriptor, answer, answer.utf8.count)
    }
  }
}
