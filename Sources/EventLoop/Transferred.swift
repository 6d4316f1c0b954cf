/// Carries a value past the compiler's check of isolation, where the loop guarantees what the compiler cannot see: that
/// what is started on a loop also runs there, or that a value was given away.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
