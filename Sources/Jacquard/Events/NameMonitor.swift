import EventLoop

/// The tag's name, as the source of its links reports it.
public final class NameMonitor {
  /// Sends the tag's name when it becomes known, and whenever it changes.
  public let changes = Observers<String>()
  /// Sent with the new name of a tag that this program has renamed.
  let renamings = Observers<String>()
  /// Empty until it is known.
  public private(set) var name = ""
  /// The name that BlueZ reports.
  private var reported = ""
  /// The new name of a renamed tag, and BlueZ's name for it at that time, which it may continue to report.
  private var renaming: (from: String, to: String)?
  var replacedName: String? { renaming?.from }

  /// Called when the tag has confirmed its new name. BlueZ 5.82 and 5.87 do not re-read the name of a known tag, and
  /// update it from an advertisement only during discovery.
  func renamed(_ name: String) {
    renaming = (from: reported, to: name)
    renamings.send(name)
  }

  /// Restores the state of a tag that was renamed earlier.
  func wasRenamed(from old: String, to new: String) { renaming = (old, new) }

  func report(_ text: String) {
    reported = text
    if let renaming, text != renaming.from, text != renaming.to { self.renaming = nil }
    let known = self.known(text)
    guard !known.isEmpty, known != name else { return }
    name = known
    changes.send(known)
  }

  /// The tag's name for a name that BlueZ reports.
  func known(_ text: String) -> String {
    if let renaming, text == renaming.from { renaming.to } else { text }
  }

  /// Called when the connection has ended.
  func end() {
    changes.removeAll()
    renamings.removeAll()
  }
}
