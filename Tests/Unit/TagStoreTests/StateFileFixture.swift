import EventLoop
import Glibc
import TestWorld

@testable import TagStore

/// A separate directory for each test, and a loop with virtual time.
final class StateFileFixture {
  private let scratch: ScratchDirectory
  let time = VirtualClock()
  let loop: EventLoop
  private(set) var warnings: [String] = []

  init() throws {
    scratch = try ScratchDirectory()
    loop = try EventLoop(clock: .virtual(time))
  }

  deinit {
    loop.close()
    loop.drain()
  }

  var path: String { scratch.path }
  var directory: String { path + "/state" }
  var file: String { directory + "/state.json" }

  func open(_ directory: String? = nil) -> StateFile {
    StateFile(loop, StateDirectory(chosen: directory ?? self.directory)) { [weak self] in self?.warnings.append($0) }
  }

  func makeDirectory() { mkdir(directory, 0o700) }

  func write(_ bytes: [UInt8], to path: String? = nil) {
    makeDirectory()
    let descriptor = SharedDescriptor(taking: Glibc.open(path ?? file, O_WRONLY | O_CREAT | O_TRUNC, 0o600))
    bytes.withUnsafeBytes { _ = Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
  }

  func write(_ text: String, to path: String? = nil) { write(Array(text.utf8), to: path) }

  func text(_ path: String? = nil) -> String? {
    (try? FileContents.read(path ?? file, atMost: .max)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
  }

  func names(_ directory: String? = nil) -> [String] { ScratchDirectory.names(in: directory ?? self.directory) }

  func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// Runs a task to its end; time advances when nothing else is pending.
  func run<Value>(_ body: @escaping () async throws -> Value) throws -> Value {
    var result: Result<Value, any Error>?
    loop.spawn {
      do { result = .success(try await body()) } catch { result = .failure(error) }
    }
    while true {
      try loop.dispatch()
      if let result { return try result.get() }
      if let next = loop.nextDeadline { time.advance(by: max(time.now.duration(to: next), .zero)) }
    }
  }
}
