import Glibc
import Lives

/// lives FIRST COUNT [--only INDEX,INDEX,...] [--trace] [--alone] [--usual] [--earlier]: runs the lives with these
/// seeds, one after the other, with a line for each. Exits with 1 if one has failed. --alone: programs share no tags.
/// --usual: tags behave as usual, and time stands still between two timers. --earlier: without other devices, hanging
/// services and services that appear.
@main
struct LivesProgram {
  static func main() throws {
    var words = CommandLine.arguments.dropFirst()
    guard let first = words.popFirst().flatMap({ UInt64($0) }), let count = words.popFirst().flatMap({ UInt64($0) })
    else {
      print("usage: lives FIRST COUNT [--only INDEX,INDEX,...] [--trace] [--alone] [--usual] [--earlier]")
      exit(2)
    }
    var chosen: Set<Int>?
    var keepsTrace = false
    var restrictions: Life.Restrictions = []
    while let word = words.popFirst() {
      if word == "--only" { chosen = Set((words.popFirst() ?? "").split(separator: ",").compactMap { Int($0) }) }
      if word == "--trace" { keepsTrace = true }
      if word == "--alone" { restrictions.insert(.alone) }
      if word == "--usual" { restrictions.insert(.usual) }
      if word == "--earlier" { restrictions.insert(.earlier) }
    }
    // Used to simulate a full disk.
    signal(SIGXFSZ, SIG_IGN)
    // glibc's caches of freed memory would distort the measured memory; Tests/Search/lives/run disables them.
    let watchesMemory = getenv("GLIBC_TUNABLES").map { String(cString: $0).contains("tcache_count=0") } ?? false
    let folder = ScratchFolder()
    var failures = 0
    for seed in first..<first + count {
      print("seed \(seed)", terminator: " ")
      fflush(nil)
      let live = watchesMemory ? Life.liveWatchingMemory : Life.live
      let outcome = try live(seed, chosen, folder.path, keepsTrace, restrictions)
      for line in outcome.trace { print(line) }
      let hash = String(outcome.hash, radix: 16)
      print(
        "\(hash) \(outcome.actions) actions \(outcome.turns) turns \(outcome.messages) messages \(outcome.links) links "
          + "\(outcome.virtualSeconds) s \(outcome.linksOfService) of the service "
          + "\(outcome.failure.map { "FAILED: \($0)" } ?? "ok")"
      )
      fflush(nil)
      if outcome.failure != nil { failures += 1 }
    }
    folder.remove()
    exit(failures == 0 ? 0 : 1)
  }
}

/// In memory if possible, because nothing here must survive a reboot.
struct ScratchFolder {
  let path: String

  init() {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/lives-XXXXXX".utf8CString)
    _ = mkdtemp(&template)
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  func remove() { rmdir(path) }
}
