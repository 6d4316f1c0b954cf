import TagSimulator

/// The recordings that were ever on a tag, by name. Each name is used once.
final class Recordings {
  private var files: [String: [UInt8]] = [:]
  private var number = 0
  private var tagsThatSendMore: Set<Int> = []
  private unowned let stage: Stage

  init(_ stage: Stage) { self.stage = stage }

  func newName() -> String {
    number += 1
    return "recording-\(number)"
  }

  func add(to tag: Int, samples: Int) {
    stage.happen("tag \(tag + 1) session \(newName()) samples \(samples)")
  }

  /// The name of a random recording that the tag has now.
  func randomName(_ tag: Int, _ dice: inout Dice) -> String? {
    let names = stage.world.tags[tag].recordings.map { name, file in
      files[name] = file
      return name
    }
    return names.isEmpty ? nil : dice.pick(names)
  }

  /// A packet does not show whether it belongs to a recording.
  func packetIsSentBesides(_ tag: Int) { tagsThatSendMore.insert(tag) }

  func areComparable(_ tag: Int) -> Bool { !tagsThatSendMore.contains(tag) }

  func file(_ name: String) -> [UInt8]? { files[name] }
}
