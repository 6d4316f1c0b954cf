/// A property of a tag and its new value.
public struct TagSetting: Equatable, Sendable {
  typealias Property<Value> = ReferenceWritableKeyPath<SoftwareTag, Value> & Sendable

  let apply: @Sendable (SoftwareTag) -> Void
  private let property: AnyKeyPath & Sendable
  private let value: any Equatable & Sendable

  init<Value: Equatable & Sendable>(_ property: Property<Value>, _ value: Value) {
    apply = { $0[keyPath: property] = value }
    self.property = property
    self.value = value
  }

  public static func == (left: TagSetting, right: TagSetting) -> Bool {
    func equals<Value: Equatable>(_ value: Value) -> Bool { right.value as? Value == value }
    return left.property == right.property && equals(left.value)
  }
}

extension TagAction {
  static func set<Value: Equatable & Sendable>(_ property: TagSetting.Property<Value>, _ value: Value) -> TagAction {
    .setting(TagSetting(property, value))
  }
}
