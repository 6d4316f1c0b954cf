import JacquardWire
import Testing

@testable import Jacquard

@Suite("The motion status")
struct MotionStatusTests {
  @Test(
    "distinguishes recordings from streams by the note of the program that began them",
    arguments: [
      (ConfigurationValue.int32(1), MotionStatus.Activity.recording), (.int32(2), .streaming), (.int32(0), .capturing),
      (.int32(3), .capturing), (.string("1"), .recording), (.string("0"), .streaming), (.string("-1"), .capturing),
      (.string("2"), .capturing), (.bool(true), .capturing),
    ])
  func notes(_ note: ConfigurationValue, _ activity: MotionStatus.Activity) {
    #expect(MotionStatus(.logging, mode: CaptureMode(note)).activity == activity)
  }

  @Test("needs no note for the other activities")
  func others() {
    let codes: [(CollectionStatus, MotionStatus.Activity)] = [
      (.idle, .idle), (.logging, .capturing), (.transferring, .transferring), (.erasing, .erasing),
      (.lowBattery, .failed),
    ]
    for (code, activity) in codes { #expect(MotionStatus(code, mode: nil).activity == activity) }
  }
}
