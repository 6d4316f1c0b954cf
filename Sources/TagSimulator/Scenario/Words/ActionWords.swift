/// Parses the action of a line.
enum ActionWords {
  /// The words that begin an action.
  static var known: [String] { [String](TagWords.parsers.keys) + HostWords.parsers.keys + ["foreign"] }

  static func parse(_ words: inout ScenarioWords) throws -> ScenarioAction {
    let word = String(try words.next("an action"))
    if let parser = TagWords.parsers[word] { return .tag(try parser(&words)) }
    if let parser = HostWords.parsers[word] { return .host(try parser(&words)) }
    if word == "foreign" { return .foreign(try ForeignAction.parse(&words)) }
    let near = known.filter { distance($0, word) <= 2 }.sorted()
    let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    throw words.fail("‘\(word)’ is not an action\(hint)")
  }

  /// The number of letters to change, add or remove to get from one word to another.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var previous = row[0]
      row[0] = index + 1
      for column in right.indices {
        let above = row[column + 1]
        row[column + 1] = min(above + 1, row[column] + 1, previous + (letter == right[column] ? 0 : 1))
        previous = above
      }
    }
    return row[right.count]
  }
}
