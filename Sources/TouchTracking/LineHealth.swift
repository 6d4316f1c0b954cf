/// The condition of a line of the sleeve, as its readings show it.
public enum LineHealth: UInt32, CaseIterable, Sendable {
  case good = 1
  /// It reads less than half as much as the others of the same fingers.
  case weak
  /// It reads nothing while fingers pass over it.
  case dead
  /// It always reads the same, more than nothing.
  case stuck
}
