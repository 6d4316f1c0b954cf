import CLinux
import EventLoop
import Glibc

/// `sharing-member` in a process of its own. It is killed and reaped with its owner.
final class MemberProcess {
  struct Silent: Error { let heard: [String] }

  /// The program is next to the tests.
  private static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    let own = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/sharing-member"
  }()

  private(set) var process: pid_t = 0
  private let input: SharedDescriptor
  private let output: SharedDescriptor
  private var unread: [UInt8] = []
  private var heard: [String] = []

  init(_ parent: String, tag: String = "tag", milliseconds: Int = 200) throws {
    let (inputRead, inputWrite) = try Self.pipe()
    let (outputRead, outputWrite) = try Self.pipe()
    input = inputWrite
    output = outputRead
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputRead.rawValue, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, outputWrite.rawValue, STDOUT_FILENO)
    let words = [Self.program, parent, tag, String(milliseconds)]
    let argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var process: pid_t = 0
    let status = posix_spawn(&process, Self.program, &actions, nil, argv, environ)
    guard status == 0 else { throw SystemError(code: status, call: "posix_spawn") }
    self.process = process
  }

  deinit { kill() }

  private static func pipe() throws -> (SharedDescriptor, SharedDescriptor) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError(code: errno, call: "pipe2") }
    return (SharedDescriptor(taking: ends[0]), SharedDescriptor(taking: ends[1]))
  }

  func signal(_ number: Int32) { if process > 0 { Glibc.kill(process, number) } }

  /// Returns when it has ended.
  func kill() {
    signal(SIGKILL)
    var status: Int32 = 0
    if process > 0 { waitpid(process, &status, 0) }
    process = 0
  }

  /// Returns when it has stopped.
  func stop() {
    signal(SIGSTOP)
    var status: Int32 = 0
    waitpid(process, &status, WUNTRACED)
  }

  func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(input.rawValue, bytes, bytes.count)
  }

  /// The rest of the next line that begins with `word`; lines before it are skipped.
  func line(_ word: String, milliseconds: Int32 = 10_000) throws -> [String] {
    while let words = nextLine(milliseconds) { if words.first == word { return Array(words.dropFirst()) } }
    throw Silent(heard: heard)
  }

  /// Nil if there is none within this time.
  func nextLine(_ milliseconds: Int32 = 10_000) -> [String]? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeFirst(end + 1)
        heard.append(line)
        return line.split(separator: " ").map(String.init)
      }
      var poll = pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0)
      var buffer = [UInt8](repeating: 0, count: 4096)
      guard Glibc.poll(&poll, 1, milliseconds) == 1 else { return nil }
      let count = read(output.rawValue, &buffer, buffer.count)
      guard count > 0 else { return nil }
      unread += buffer.prefix(count)
    }
  }
}
