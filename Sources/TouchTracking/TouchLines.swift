/// One value for each touch line of the gear.
public typealias TouchLines<Element> = InlineArray<12, Element>

extension InlineArray where Element: Sendable {
  init(_ element: Element) { self.init(repeating: element) }
}
