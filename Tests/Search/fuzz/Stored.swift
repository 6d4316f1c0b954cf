import EventLoop
import Glibc
import TagStore

@testable import Jacquard

extension Target {
  /// Reads and changes state.json.
  static let stored = Target(name: "stored") { input in
    let folder = scratch
    let path = folder + "/state.json"
    unlink(path + ".corrupt-1")
    guard let file = fopen(path, "wb") else { fatalError("no place for \(path)") }
    fwrite(input.baseAddress, 1, input.count, file)
    fclose(file)

    let loop = try EventLoop(clock: .virtual(VirtualClock()))
    guard let directory = StateDirectory(chosen: folder) else { fatalError("no directory") }
    var warnings = 0
    let state = StateFile(loop, directory) { _ in warnings += 1 }
    let before = try? state.read()
    _ = before?.tags.compactMap { KnownTag($0) }
    let changed = try? state.changeNow(replacesCorrupt: true) { state in
      state.tags.append(.with { $0.identifier = "added" })
      return state
    }
    guard let changed else { return }
    require(before != nil || warnings == 1, "set aside without a word")
    require(try state.read().tags == changed.tags, "read otherwise than written")
  }

  private static let scratch: String = {
    var template = Array("/dev/shm/jacquard-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no place for files") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}
