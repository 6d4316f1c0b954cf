import Sharing

/// How the connections of a manager share tags with other programs.
struct SharingRules {
  /// Where services are looked for, in this order. None: this program always has the links itself.
  var places: [ServicePlace] = []
  /// This program wants each tag for itself.
  var isExclusive = false
  /// A link of this program is given to a service that accepts it.
  var handsOver: Bool { !isExclusive && !places.isEmpty }
  /// Where programs of one user lock tags; nil if there is no such directory.
  var directory: RuntimeDirectory?

  /// - Parameter options: nil: tags are neither shared nor locked.
  init(_ options: Manager.Options?) {
    guard let options, options.sharing else { return }
    places = options.servicePlaces?.map { ServicePlace($0) } ?? ServicePlace.all
    isExclusive = options.exclusive
    directory = try? options.runtimeDirectory.map { try RuntimeDirectory(in: $0) } ?? RuntimeDirectory.find()
  }
}
