import CLinux
import Glibc

/// Reports when a path appears, changes or disappears, even together with its parent directories.
public final class FileWatch {
  private static let changes = UInt32(
    IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)

  private let components: [String]
  private let mask: UInt32
  private let onChange: () -> Void
  private let inotify: SharedDescriptor
  private var watch: IOWatch?
  /// The deepest existing directory, and the number of path components up to it.
  private var watched: Int32?
  private var depth = 0

  /// - Parameters:
  ///   - path: absolute.
  ///   - seesAttributes: whether changes of its times and its mode are reported.
  public init(
    _ loop: EventLoop, _ path: String, seesAttributes: Bool = true, _ onChange: @escaping () -> Void
  ) throws(SystemError) {
    mask = Self.changes | UInt32(IN_ONLYDIR) | (seesAttributes ? UInt32(IN_ATTRIB) : 0)
    components = path.split(separator: "/").map(String.init)
    self.onChange = onChange
    guard path.hasPrefix("/"), !components.isEmpty, !path.utf8.contains(0) else {
      throw SystemError(code: EINVAL, call: "inotify_add_watch")
    }
    inotify = SharedDescriptor(taking: inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
    guard inotify.rawValue >= 0 else { throw .last("inotify_init1") }
    try settle()
    watch = try loop.watch(inotify.rawValue, for: .readable) { [weak self] _ in self?.read() }
  }

  deinit { cancel() }

  /// Stops watching and closes the inotify descriptor. `onChange` is not called afterwards.
  public func cancel() {
    watch?.cancel()
    watch = nil
    inotify.close()
  }

  private func directory(_ depth: Int) -> String { "/" + components.prefix(depth).joined(separator: "/") }

  /// Watches the deepest existing directory of the path.
  private func settle() throws(SystemError) {
    // Changes between the search and the watch are not reported, so search again; a few searches are sufficient: if
    // none finds a deeper directory, the entry is not a directory.
    for _ in 0..<3 {
      let (descriptor, found) = try watchDeepest()
      if let watched, watched != descriptor { inotify_rm_watch(inotify.rawValue, watched) }
      watched = descriptor
      depth = found
      if found == components.count - 1 || access(directory(found + 1), F_OK) != 0 { return }
    }
  }

  private func watchDeepest() throws(SystemError) -> (descriptor: Int32, depth: Int) {
    var depth = components.count - 1
    while true {
      let descriptor = inotify_add_watch(inotify.rawValue, directory(depth), mask)
      if descriptor >= 0 { return (descriptor, depth) }
      guard depth > 0, [ENOENT, ENOTDIR, EACCES].contains(errno) else { throw .last("inotify_add_watch") }
      depth -= 1
    }
  }

  private func read() {
    var concerned = false
    var moved = false
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      while let base = buffer.baseAddress {
        let count = Glibc.read(inotify.rawValue, base, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = base.load(fromByteOffset: offset, as: inotify_event.self)
          let name = base + offset + MemoryLayout<inotify_event>.size
          let isNext = event.len > 0 && strcmp(name.assumingMemoryBound(to: CChar.self), components[depth]) == 0
          let isLost = event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_Q_OVERFLOW) != 0
          if event.wd == watched || event.wd < 0, isNext || isLost {
            if depth == components.count - 1 { concerned = true }
            if depth < components.count - 1 || isLost { moved = true }
            if event.mask & UInt32(IN_IGNORED) != 0 { watched = nil }
          }
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    if moved {
      try? settle()
      if depth == components.count - 1, access(directory(components.count), F_OK) == 0 { concerned = true }
    }
    if concerned { onChange() }
  }
}
