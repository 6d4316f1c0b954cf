import EventLoop
import Sharing

/// Reports that a service may have appeared: that a socket at one of the places, or a directory above it, was created
/// or replaced. Needs no timer, and watches nothing while no connection is interested.
final class ServiceWatch {
  private let loop: EventLoop
  private let paths: [String]
  private let appearances = Observers<Void>()
  private var watches: [FileWatch] = []

  init(_ loop: EventLoop, _ places: [ServicePlace]) {
    self.loop = loop
    paths = places.map(\.path)
  }

  /// Where no file can be watched, because the user has too many watches, a service is found before the next attempt.
  func observe(_ handler: @escaping () -> Void) -> Observers<Void>.Observation {
    if watches.isEmpty {
      watches = paths.compactMap { path in
        try? FileWatch(loop, path) { [weak self] in self?.appearances.send(()) }
      }
    }
    return appearances.add(handler)
  }

  func stopObserving(_ observation: Observers<Void>.Observation) {
    observation.cancel()
    guard appearances.isEmpty else { return }
    for watch in watches { watch.cancel() }
    watches = []
  }
}
