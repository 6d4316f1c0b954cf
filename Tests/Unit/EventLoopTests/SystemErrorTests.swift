import EventLoop
import Glibc
import Testing

@Suite("A system error")
struct SystemErrorTests {
  @Test("describes what failed and why")
  func description() {
    #expect(SystemError(code: ENOENT, call: "open").description == "open: No such file or directory")
    #expect(SystemError(code: 9999, call: "open").description.hasPrefix("open: "))
  }
}
