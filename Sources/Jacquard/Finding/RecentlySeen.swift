/// The elements seen last, at least `capacity` of them and at most twice as many. The older half is forgotten in one
/// step.
final class RecentlySeen<Element: Hashable> {
  private let capacity: Int
  private var recent: Set<Element> = []
  private var before: Set<Element> = []

  init(capacity: Int) { self.capacity = capacity }

  /// Returns whether the element is new or was forgotten.
  func see(_ element: Element) -> Bool {
    guard recent.insert(element).inserted else { return false }
    let isNew = before.remove(element) == nil
    if recent.count == capacity { (before, recent) = (recent, []) }
    return isNew
  }
}
