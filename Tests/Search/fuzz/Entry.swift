import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

nonisolated(unsafe) private var target = Target.all[0]

/// The function that libFuzzer's `main` calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  do { try target.body(UnsafeRawBufferPointer(start: data, count: size)) } catch { fatalError("\(error)") }
  return 0
}

/// SwiftPM gives a program's `main` the name of its module. $JACQUARD_FUZZ_TARGET selects the target; without it, all
/// are listed.
@_cdecl("fuzz_main")
public func main(_ count: CInt, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
  guard let name = getenv("JACQUARD_FUZZ_TARGET"), let chosen = Target.named(String(cString: name)) else {
    for target in Target.all { print(target.name) }
    return 0
  }
  target = chosen
  var (count, words) = (count, words)
  return runDriver(&count, &words, testOneInput)
}
