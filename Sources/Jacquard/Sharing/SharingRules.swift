import Sharing

/// How the connections of a manager share tags with other programs.
struct SharingRules {
  /// Where services are looked for, in this order. None: this program always has the links itself.
  var places: [ServicePlace] = []
  /// This program wants each tag for itself.
  var isExclusive = false
  /// Where programs of one user lock tags; nil if there is no such directory.
  var directory: RuntimeDirectory?

  init() {}

  init(_ options: Manager.Options) {
    guard options.sharing else { return }
    places = options.servicePlaces ?? ServicePlace.all
    isExclusive = options.exclusive
    directory =
      if let parent = options.runtimeDirectory { try? RuntimeDirectory(in: parent) } else {
        try? RuntimeDirectory.find()
      }
  }
}
