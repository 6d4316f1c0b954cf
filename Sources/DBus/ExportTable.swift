/// The handlers of exported object paths.
struct ExportTable {
  private struct Entry {
    let identity: UInt64
    let isTree: Bool
    let handler: (MethodCall) -> Void
  }

  private var entries: [String: Entry] = [:]
  private var nextIdentity: UInt64 = 0

  /// Nil if the path is taken.
  mutating func insert(_ path: String, isTree: Bool, _ handler: @escaping (MethodCall) -> Void) -> UInt64? {
    guard entries[path] == nil else { return nil }
    defer { nextIdentity += 1 }
    entries[path] = Entry(identity: nextIdentity, isTree: isTree, handler: handler)
    return nextIdentity
  }

  /// Returns the handler, so that it is not released while the table changes.
  mutating func remove(_ path: String, _ identity: UInt64) -> ((MethodCall) -> Void)? {
    guard entries[path]?.identity == identity else { return nil }
    return entries.removeValue(forKey: path)?.handler
  }

  /// The object at the path itself, else the nearest tree above it.
  func handler(for path: String) -> ((MethodCall) -> Void)? {
    if let entry = entries[path] { return entry.handler }
    var ancestor = path[...]
    while let slash = ancestor.lastIndex(of: "/") {
      ancestor = ancestor[..<slash]
      if let entry = entries[ancestor.isEmpty ? "/" : String(ancestor)], entry.isTree { return entry.handler }
    }
    return nil
  }
}
