/// Records the values passed to a handler, in order.
final class Record<Element> {
  var entries: [Element] = []
  func note(_ entry: Element) { entries.append(entry) }
}
