import EventLoop
import Glibc
import TestWorld
import Testing

@testable import Sharing

/// These tests change environment variables, so they run one after another.
@Suite("The places of services", .serialized)
struct ServicePlaceTests {
  private let scratch: ScratchDirectory
  private let loop: EventLoop
  private let directory: String
  private let path: String

  init() throws {
    scratch = try ScratchDirectory()
    loop = try EventLoop()
    directory = scratch.path + "/jacquard"
    path = directory + "/socket"
    mkdir(directory, 0o700)
  }

  private func with<Result>(_ name: String, _ value: String, _ body: () throws -> Result) rethrows -> Result {
    let old = getenv(name).map { String(cString: $0) }
    defer { if let old { setenv(name, old, 1) } else { unsetenv(name) } }
    setenv(name, value, 1)
    return try body()
  }

  private var user: ServicePlace {
    get throws { try with("XDG_RUNTIME_DIR", scratch.path) { try #require(ServicePlace.user) } }
  }

  private var chosen: ServicePlace {
    get throws { try with("JACQUARD_SERVICE", path) { try #require(ServicePlace.all.first) } }
  }

  private func isConnected(_ place: ServicePlace) throws -> Bool {
    if case .connected = try ServiceSocket.connect(place, loop: loop) { true } else { false }
  }

  private func refusal(_ place: ServicePlace) -> String? {
    do throws(SharingError) {
      _ = try ServiceSocket.connect(place, loop: loop)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("the user's counts in a directory that only this user can change")
  func user700() throws {
    let listener = try ServiceListener(path, loop: loop) { _ in }
    for mode in [0o700, 0o755, 0o750] as [mode_t] {
      chmod(directory, mode)
      #expect(try isConnected(user))
    }
    listener.close()
    #expect(refusal(try user) == nil)
  }

  @Test(
    "the user's does not count in a directory that others can change",
    arguments: [0o777, 0o1777, 0o770, 0o722] as [mode_t])
  func writable(_ mode: mode_t) throws {
    let listener = try ServiceListener(path, loop: loop) { _ in }
    chmod(directory, mode)
    #expect(refusal(try user) == "The service at \(path) is not used, because other users can change its directory.")
    #expect(try isConnected(chosen))
    listener.close()
    // The program does not wait for it either.
    #expect(refusal(try user) != nil)
  }

  @Test("the user's does not count in the directory of another user", .enabled(if: geteuid() == 0))
  func otherOwner() throws {
    let listener = try ServiceListener(path, loop: loop) { _ in }
    chown(directory, 65534, 65534)
    #expect(
      refusal(try user) == "The service at \(path) is not used, because its directory belongs to user 65534.")
    #expect(try isConnected(chosen))
    listener.close()
  }

  /// A service of another user at `path`.
  private func otherService() throws -> OtherUser {
    let place = scratch.path + "/public"
    mkdir(place, 0o777)
    chmod(place, 0o777)
    chmod(scratch.path, 0o711)
    let service = try OtherUser(
      "service = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)", "service.bind(\"\(place)/socket\")",
      "service.listen(64)")
    #expect(rename(place + "/socket", path) == 0)
    return service
  }

  @Test("the user's does not count if another user listens there", .enabled(if: geteuid() == 0))
  func otherPeer() throws {
    let service = try otherService()
    #expect(refusal(try user) == "The service at \(path) is not used, because user \(OtherUser.id) listens there.")
    withExtendedLifetime(service) {}
  }

  @Test(
    "one that JACQUARD_SERVICE names counts in any directory, for any user that listens", .enabled(if: geteuid() == 0))
  func anyChosen() throws {
    let service = try otherService()
    #expect(try isConnected(chosen))
    chmod(directory, 0o777)
    #expect(try isConnected(chosen))
    chown(directory, 1, 1)
    #expect(try isConnected(chosen))
    withExtendedLifetime(service) {}
  }

  /// systemd creates the user of the unit (DynamicUser).
  @Test("in the system's, the owner of the directory decides who listens", .enabled(if: geteuid() == 0))
  func system() throws {
    let place = ServicePlace(path, .system)
    #expect(ServicePlace.system.kind == .system)
    let service = try otherService()
    chmod(directory, 0o755)
    #expect(try isConnected(place))
    chown(directory, OtherUser.id, OtherUser.id)
    #expect(try isConnected(place))
    chown(directory, 1, 1)
    #expect(refusal(place) == "The service at \(path) is not used, because user \(OtherUser.id) listens there.")
    chown(directory, 0, 0)
    chmod(directory, 0o775)
    #expect(refusal(place) == "The service at \(path) is not used, because other users can change its directory.")
    withExtendedLifetime(service) {}
  }
}
