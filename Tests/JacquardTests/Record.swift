/// What a handler was told, in order.
final class Record<Element> {
  var entries: [Element] = []
  func note(_ entry: Element) { entries.append(entry) }
}
