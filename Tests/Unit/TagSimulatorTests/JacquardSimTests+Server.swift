import DBus
import EventLoop
import Glibc
import Testing

@testable import TagSimulator

extension JacquardSimTests {
  /// `jacquard-sim serve` with its input and output.
  final class Server {
    let directory: TemporaryDirectory
    let address: String
    private let process: pid_t
    private let output: UnsafeMutablePointer<FILE>
    private let input: UnsafeMutablePointer<FILE>

    init(_ arguments: String = "") throws {
      directory = try TemporaryDirectory()
      let pipe = directory.path + "/in"
      let command = "echo $$; exec \(program) serve \(arguments) <>\(pipe) 2>\(directory.path)/err"
      guard mkfifo(pipe, 0o600) == 0, let output = popen(command, "r") else {
        throw SystemError(code: errno, call: "popen")
      }
      self.output = output
      process = pid_t(Self.line(output)) ?? 0
      let text = Self.line(output)
      let service = Self.line(output)
      address = String(text.drop { $0 != "=" }.dropFirst())
      guard text.hasPrefix("DBUS_SYSTEM_BUS_ADDRESS="), service.hasPrefix("JACQUARD_SERVICE="),
        let input = fopen(pipe, "w")
      else {
        pclose(output)
        throw SystemError(code: EPROTO, call: "serve: \(text) \(service)")
      }
      self.input = input
    }

    private static func line(_ stream: UnsafeMutablePointer<FILE>) -> String {
      var buffer = [CChar](repeating: 0, count: 4096)
      guard fgets(&buffer, Int32(buffer.count), stream) != nil else { return "" }
      return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func ask(_ text: String) -> String {
      fputs(text + "\n", input)
      fflush(input)
      return Self.line(output)
    }

    /// Interrupts it and returns its exit status.
    func end() -> Int32 {
      fclose(input)
      kill(process, SIGINT)
      return pclose(output) >> 8 & 0xff
    }
  }

  final class TemporaryDirectory {
    let path: String

    init() throws {
      var template = Array("/tmp/jacquard-sim-test-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw SystemError(code: errno, call: "mkdtemp") }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { _ = system("rm -rf \(path)") }

    func write(_ text: String, to name: String) throws {
      let file = SharedDescriptor(taking: open(path + "/" + name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
      guard Glibc.write(file.rawValue, text, text.utf8.count) == text.utf8.count else {
        throw SystemError(code: errno, call: "write")
      }
    }

    func read(_ name: String) throws -> String {
      let file = SharedDescriptor(taking: open(path + "/" + name, O_RDONLY | O_CLOEXEC))
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      let count = Glibc.read(file.rawValue, &buffer, buffer.count)
      guard count >= 0 else { throw SystemError(code: errno, call: "read") }
      return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  }
}
