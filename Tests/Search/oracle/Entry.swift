import Glibc
import JacquardWire

@testable import WireFormat

/// `oracle COUNT SEED`: COUNT comparisons like those of OracleTests; exits with 1 if something differs.
/// `oracle time`: the time of both codecs for device information.
@main
struct Oracle {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "time" { return DeviceInformation.measure() }
    let count = words.first.flatMap { Int($0) } ?? 1_000_000
    let seed = words.dropFirst().first.flatMap { UInt64($0) } ?? 1
    var messages = Comparison()
    messages.extremes()
    messages.messages(count, seed: seed)
    var states = Comparison()
    states.states(count / 10, seed: seed)
    print(
      "\(messages.total) messages: \(messages.same) the same, \(messages.refused) refused by both,", terminator: " ")
    print("\(messages.repaired) repaired, \(messages.different.count) different")
    print("\(states.total) states: \(states.different.count) different")
    for difference in (messages.different + states.different).prefix(10) { print(difference) }
    if !messages.different.isEmpty || !states.different.isEmpty { exit(1) }
  }
}

/// The response with device information: the most frequent message that the general decoder reads.
enum DeviceInformation {
  private static let rounds = 200_000

  private static let bytes = JacquardWire.WireResponse.with {
    $0.id = 7
    $0.status = 0
    $0.componentID = 0
    $0.deviceInfo.vendor = "Google"
    $0.deviceInfo.model = "Jacquard UJT"
    $0.deviceInfo.revision = 1
    $0.deviceInfo.uuid = "0000AAAA-0123456789AB-0000AAAAA001ZK-2020"
    $0.deviceInfo.firmwareMajor = 1
    $0.deviceInfo.firmwareMinor = 96
    $0.deviceInfo.firmwarePoint = 0
    $0.deviceInfo.bootloaderMajor = 1
    $0.deviceInfo.bootloaderMinor = 0
    $0.deviceInfo.bootloaderPoint = 2
    $0.deviceInfo.vendorID = 0x7f
    $0.deviceInfo.productID = 1
    $0.deviceInfo.skuID = "SKU-0123456789"
    $0.deviceInfo.mlVersion = "ml 1.2.3"
  }.serializedBytes()

  static func measure() {
    for _ in 0..<5 {
      let own = time { bytes in
        guard let info = (try? JacquardWire.WireResponse(serializedBytes: bytes))?.deviceInfo else { return 0 }
        return info.vendor.utf8.count + info.model.utf8.count + info.uuid.utf8.count + Int(info.firmwareMajor)
      }
      let oracle = time { bytes in
        guard let info = (try? WireResponse(serializedBytes: bytes))?.deviceInfo else { return 0 }
        return info.vendor.utf8.count + info.model.utf8.count + info.uuid.utf8.count + Int(info.firmwareMajor)
      }
      print("device information, \(bytes.count) bytes: \(own) ns; SwiftProtobuf: \(oracle) ns")
    }
  }

  private static func time(_ body: ([UInt8]) -> Int) -> Int {
    func now() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
    var sum = 0
    let start = now()
    for _ in 0..<rounds { sum &+= body(bytes) }
    precondition(sum > 0)
    return (now() - start) / rounds
  }
}
