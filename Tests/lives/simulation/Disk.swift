import Glibc

/// The location of the state file, and its faults.
final class Disk {
  enum Fault: CaseIterable { case obstructed, newFileObstructed, garbage, full, locked }

  let folder: String
  private var lock: Int32 = -1
  private var isFull = false

  /// - Parameter folder: emptied first.
  init(_ folder: String) {
    self.folder = folder
    clear()
  }

  var stateDirectory: String { folder + "/state" }
  private var file: String { stateDirectory + "/state.json" }

  func happen(_ fault: Fault) {
    heal()
    mkdir(stateDirectory, 0o700)
    switch fault {
    case .obstructed:
      unlink(file)
      mkdir(file, 0o700)
    case .newFileObstructed: mkdir(file + ".new", 0o700)
    case .garbage: write("{\"tags\": [{\"addr")
    case .full: setLimit(full: true)
    case .locked:
      lock = open(stateDirectory + "/state.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      flock(lock, LOCK_EX | LOCK_NB)
    }
  }

  func heal() {
    for path in [file, file + ".new"] { rmdir(path) }
    setLimit(full: false)
    if lock >= 0 { close(lock) }
    lock = -1
  }

  func clear() {
    heal()
    for name in ["state.json", "state.json.new", "state.json.corrupt", "state.lock"] {
      unlink(stateDirectory + "/" + name)
    }
    rmdir(stateDirectory)
  }

  private func write(_ text: String) {
    guard let stream = fopen(file, "w") else { return }
    fputs(text, stream)
    fclose(stream)
  }

  /// Prevents all files of this process from growing. SIGXFSZ must be ignored.
  private func setLimit(full: Bool) {
    guard full != isFull else { return }
    isFull = full
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = full ? 0 : limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }
}
