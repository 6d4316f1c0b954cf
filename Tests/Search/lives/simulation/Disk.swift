import Glibc

/// The location of the state file and of the runtime directory, and their faults.
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
  var runtimeDirectory: String { folder + "/run" }
  private var lockDirectory: String { runtimeDirectory + "/jacquard" }

  /// The sockets of services.
  var sockets: [String] {
    [runtimeDirectory, lockDirectory].flatMap(Self.entries(of:)).filter { $0.hasPrefix("socket") }
  }

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
    for name in Self.entries(of: stateDirectory) { unlink(stateDirectory + "/" + name) }
    rmdir(stateDirectory)
    for name in Self.entries(of: lockDirectory) { unlink(lockDirectory + "/" + name) }
    rmdir(lockDirectory)
    rmdir(runtimeDirectory)
  }

  /// Creates the runtime directory.
  func beginSession() { mkdir(runtimeDirectory, 0o700) }

  private static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// Whether a record of the state file has the identifier.
  func mentions(_ identifier: String) -> Bool {
    guard let stream = fopen(file, "r") else { return false }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, stream))
    return String(decoding: bytes, as: UTF8.self).contains(identifier)
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
