import EventLoop
import Sharing

/// Whether and where the connections of a manager meet those of other programs of this user.
enum SharingRules {
  /// Only `TagLock` separates programs.
  case off
  /// - Parameter isExclusive: whether other programs are refused.
  case on(RuntimeDirectory, isExclusive: Bool)
  /// There is no directory to meet in; the reason as a sentence.
  case impossible(String)

  init(_ options: Manager.Options) {
    guard options.sharing else {
      self = .off
      return
    }
    do throws(SharingError) {
      let directory =
        if let parent = options.runtimeDirectory { try RuntimeDirectory(in: parent) } else {
          try RuntimeDirectory.find()
        }
      self = .on(directory, isExclusive: options.exclusive)
    } catch {
      self = .impossible(error.message)
    }
  }
}
