import DBus
import EventLoop
import Glibc
import TagStore
import Testing

@testable import BlueZ
@testable import Jacquard

@Suite("Errors")
struct JacquardErrorTests {
  @Test("every code has its own text and advice", arguments: JacquardError.Code.allCases)
  func sentences(_ code: JacquardError.Code) {
    #expect(code.text.hasSuffix(".") && code.text.count > 10)
    #expect(code.advice.hasSuffix(".") && code.advice.count > 10)
    #expect(JacquardError.Code.allCases.filter { $0.text == code.text } == [code])
  }

  @Test("an error has its code's advice unless it has its own")
  func advice() {
    #expect(JacquardError(.noAdapter, "none").advice == JacquardError.Code.noAdapter.advice)
    #expect(JacquardError(.noAdapter, "none", advice: "Buy one.").advice == "Buy one.")
  }

  @Test("a message shows untrusted text without terminal control characters")
  func printable() {
    let error = JacquardError(.gatt, "a\u{1B}[2Jb\nc\u{7F}\u{9B}\u{202E}\u{2028}d")
    #expect(error.message == "a\\u{1B}[2Jb\\u{A}c\\u{7F}\\u{9B}\\u{202E}\\u{2028}d")
    let reported = JacquardError(
      BlueZError(.failed, name: "org.bluez.Error.Failed", "\u{1B}]0;x\u{7}"), otherwise: .gatt)
    #expect(reported.message.hasSuffix("\\u{1B}]0;x\\u{7}."))
    #expect(JacquardError(.gatt, "Zoë’s 标签 👩‍🔧").message == "Zoë’s 标签 👩‍🔧")
  }

  @Test("a status of the tag is reported with number and name")
  func tagStatus() {
    let known = JacquardError(tagStatus: 2)
    #expect(known.code == .tagStatus)
    #expect(known.tagStatus == 2)
    #expect(known.message.contains("bad parameter"))
    let unknown = JacquardError(tagStatus: .max)
    #expect(unknown.tagStatus == .max)
    #expect(unknown.message.contains("4294967295"))
  }

  @Test("a specific BlueZ error has its own code, a generic one the code of the operation")
  func bluez() {
    let codes: [(BlueZError.Kind, JacquardError.Code)] = [
      (.unavailable, .bluezUnavailable), (.objectGone, .deviceGone), (.deadline, .timeout),
      (.accessDenied, .permissionDenied), (.notReady, .poweredOff), (.notConnected, .connectionLost),
      (.att(0x80), .gatt), (.inProgress, .connectFailed), (.failed, .connectFailed),
    ]
    for (kind, code) in codes {
      let error = JacquardError(BlueZError(kind, name: "org.example.Error", "text"), otherwise: .connectFailed)
      #expect(error.code == code)
      #expect(error.dbusName == "org.example.Error")
      #expect(error.message == (kind == .objectGone ? code.text : "\(code.text.dropLast()): text."))
    }
    #expect(JacquardError(BlueZError(.att(0x80), ""), otherwise: .gatt).attCode == 0x80)
  }

  @Test("a BlueZ error without a text gets one")
  func noText() {
    let error = JacquardError(BlueZError(.failed, name: "org.bluez.Error.Failed", ""), otherwise: .connectFailed)
    #expect(error.message == JacquardError.Code.connectFailed.text)
  }

  @Test("errors of the lower modules are converted")
  func lowerModules() {
    #expect(JacquardError(BlueZError(.failed, "x"), otherwise: .connectFailed).code == .connectFailed)
    #expect(JacquardError(BlueZError(.deadline, "x"), otherwise: .connectFailed).code == .timeout)
    #expect(JacquardError(BusError.disconnected).code == .busUnavailable)
    #expect(JacquardError(StateError.noPlace).code == .stateFile)
  }

  @Test(
    "a bus whose socket is forbidden is not advised to be started",
    arguments: [(EPERM, true), (EACCES, true), (EAFNOSUPPORT, true), (ENOENT, false), (ECONNREFUSED, false)])
  func forbiddenBus(number: Int32, isForbidden: Bool) {
    let error = JacquardError(BusError.unreachable("connect", errno: number))
    #expect((error.code, error.systemErrno) == (.busUnavailable, number))
    #expect(error.advice.contains("AppArmor") == isForbidden)
    #expect(error.advice.contains("Start the D-Bus system daemon") != isForbidden)
  }

  @Test("a refusal by the filter of a sandbox names the permission")
  func filtered() {
    let refusal = BusError.filtered(name: ErrorName.serviceUnknown, message: "org.bluez")
    let error = JacquardError(BlueZError(refusal), otherwise: .bluezUnavailable)
    #expect(error.code == .permissionDenied)
    #expect(error.message == "A sandbox does not let this program use Bluetooth: org.bluez.")
    #expect(error.advice.contains("--system-talk-name=org.bluez"))
  }

  @Test("a cancellation of the lower modules stays one, and no other error is one")
  func cancellation() {
    #expect(JacquardError(BlueZError.cancelled, otherwise: .connectFailed) == .cancelled)
    #expect(JacquardError(StateError.cancelled) == .cancelled)
    #expect(JacquardError.cancelled.isCancellation)
    #expect(JacquardError.Code.allCases.allSatisfy { !JacquardError($0, "x").isCancellation })
  }
}
