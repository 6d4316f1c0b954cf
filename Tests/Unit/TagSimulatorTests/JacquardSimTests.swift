import DBus
import EventLoop
import Glibc
import Testing

@testable import TagSimulator

/// Runs the program as users do.
@Suite("jacquard-sim") struct JacquardSimTests {
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  /// The program is next to the tests.
  static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    let own = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/jacquard-sim"
  }()

  static func run(_ arguments: [String], input: String = "") throws -> Result {
    let directory = try TemporaryDirectory()
    let quoted = ([program] + arguments).map { "'" + $0 + "'" }.joined(separator: " ")
    try directory.write(input, to: "in")
    let status = system(
      "cd \(directory.path) && timeout 30 \(quoted) <in >out 2>err")
    return Result(
      status: status >> 8 & 0xff, output: try directory.read("out"), errors: try directory.read("err"))
  }

  private static let send = "dbus-send --bus=$DBUS_SYSTEM_BUS_ADDRESS --print-reply --dest=org.bluez"

  @Test("ends with the status of the program it runs") func status() throws {
    #expect(try Self.run(["run", "--", "sh", "-c", "exit 5"]).status == 5)
    #expect(try Self.run(["run", "--", "sh", "-c", "kill -TERM $$"]).status == 128 + 15)
    let missing = try Self.run(["run", "--", "/does/not/exist"])
    #expect(missing.status == 127)
    #expect(missing.errors.contains("/does/not/exist: No such file or directory"))
  }

  @Test("gives the program a bus with org.bluez, and its input and output") func bus() throws {
    let result = try Self.run(
      ["run", "--tags", "2", "--", "sh", "-c", "cat; \(Self.send) /org/bluez/hci0 org.bluez.Adapter1.StartDiscovery"],
      input: "hello\n")
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("hello\nmethod return"))
  }

  @Test("passes signals on to the program") func signals() throws {
    let result = try Self.run(
      [
        "run", "--", "sh", "-c",
        "trap \"exit 9\" TERM; kill -TERM $PPID; while :; do :; done",
      ])
    #expect(result.status == 9)
  }

  @Test("reports an invalid scenario with its line") func badScenario() throws {
    let directory = try TemporaryDirectory()
    try directory.write("battery 50\ngestrue cover\n", to: "s")
    let result = try Self.run(["run", "--scenario", directory.path + "/s", "--", "true"])
    #expect(result.status == 2)
    #expect(result.errors.contains("line 2: ‘gestrue’ is not an action; did you mean gesture?"))
    #expect(try Self.run(["run", "--scenario", "nowhere", "--", "true"]).status == 2)
  }

  @Test("lists and shows its scenarios") func scenarios() throws {
    let list = try Self.run(["scenarios"])
    let lines = list.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    #expect(lines.map { String($0[0]) } == BuiltInScenarios.all.map(\.name))
    #expect(lines.allSatisfy { $0.count == 2 && $0[1].count > 10 })
    #expect(try Self.run(["scenarios", "battery"]).output.contains("\nbattery 80\n"))
  }

  @Test("stores the program's bound tags separately, or in a given directory") func state() throws {
    setenv("XDG_STATE_HOME", "/the/users/own", 1)
    defer { unsetenv("XDG_STATE_HOME") }
    let program = "mkdir -p $XDG_STATE_HOME/a/b && touch $XDG_STATE_HOME/a/file && echo $XDG_STATE_HOME"
    let own = try Self.run(["run", "--", "sh", "-c", program])
    let path = String(own.output.dropLast())
    #expect(own.status == 0 && path.hasPrefix("/tmp/jacquard-sim-"))
    #expect(access(path, F_OK) != 0)
    let kept = try TemporaryDirectory()
    let chosen = try Self.run(["run", "--state", kept.path, "--", "sh", "-c", "echo kept >$XDG_STATE_HOME/file"])
    #expect(chosen.status == 0)
    #expect(try kept.read("file") == "kept\n")
    #expect(
      try Self.run(["run", "--state", "here", "--", "sh", "-c", "echo $XDG_STATE_HOME"]).output.hasSuffix("/here\n"))
  }

  @Test("keeps the bonds of org.bluez in the directory of --state") func bonds() throws {
    let kept = try TemporaryDirectory()
    try kept.write("foreign scan\nat 500ms foreign pair\n", to: "s")
    func run(_ options: [String], _ script: String) throws -> Result {
      try Self.run(["run", "--state", kept.path + "/new"] + options + ["--", "sh", "-c", script])
    }
    let device = "/org/bluez/hci0/dev_C0_1A_DA_00_00_00"
    let isBonded =
      "\(Self.send) \(device) org.freedesktop.DBus.Properties.Get string:org.bluez.Device1 string:Bonded"
    let pair = "until \(isBonded) 2>&1 | grep true; do sleep 0.05; done"
    #expect(try run(["--scenario", kept.path + "/s", "--time-scale", "10"], pair).status == 0)
    #expect(try kept.read("new/jacquard-sim/bonds") == "C0:1A:DA:00:00:00 bonded known-to-tag\n")
    #expect(try run([], isBonded).output.contains("boolean true"))
    let forget = "\(Self.send) /org/bluez/hci0 org.bluez.Adapter1.RemoveDevice objpath:\(device)"
    #expect(try run([], forget).status == 0)
    #expect(try run([], isBonded).status != 0)
    #expect(try kept.read("new/jacquard-sim/bonds") == "")
  }

  @Test("refuses a state directory that is a file, and names it") func stateIsFile() throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "file")
    for path in ["file", "file/below"] {
      let result = try Self.run(["run", "--state", "\(directory.path)/\(path)", "--", "true"])
      #expect(result.status == 2)
      #expect(result.errors.contains("the directory \(directory.path)/\(path): Not a directory"))
    }
  }

  @Test("prints its version") func version() throws {
    let result = try Self.run(["--version"])
    #expect(result.status == 0 && result.output.hasPrefix("jacquard-sim "))
  }

  @Test("exits with 2 if its usage is wrong") func usage() throws {
    for words in [["run"], ["run", "--tags", "0", "--", "true"], ["scenarios", "nothing"], ["unknown"]] {
      let result = try Self.run(words)
      #expect(result.status == 2 && result.output.isEmpty && result.errors.contains("Usage: jacquard-sim"), "\(words)")
    }
    #expect(try Self.run(["--help"]).status == 0)
  }

  @Test("names a control socket that it cannot create, and keeps other files") func badControl() throws {
    let result = try Self.run(["serve", "--control", "/nonexistent/x"])
    #expect(result.errors.contains("bind /nonexistent/x: No such file or directory"))
    let directory = try TemporaryDirectory()
    try directory.write("kept", to: "file")
    #expect(try Self.run(["serve", "--control", directory.path + "/file"]).status == 1)
    #expect(try directory.read("file") == "kept")
  }

  @Test("does not wait for a session file that is a FIFO") func fifo() throws {
    let directory = try TemporaryDirectory()
    mkfifo(directory.path + "/fifo", 0o600)
    try directory.write("session a file \(directory.path)/fifo\n", to: "s")
    let result = try Self.run(["run", "--scenario", directory.path + "/s", "--", "true"])
    #expect(result.status == 1)
    #expect(result.errors.contains("cannot read \(directory.path)/fifo"))
  }

  @Test("prints control characters of a scenario as escapes") func controlCharacters() throws {
    let directory = try TemporaryDirectory()
    for (line, status) in [("gesture \u{1b}]0;x\u{7}", 2), ("session a file \u{1b}[2J\u{202e}\u{9b}", 1)] {
      try directory.write(line + "\n", to: "s")
      let result = try Self.run(["run", "--scenario", directory.path + "/s", "--", "true"])
      #expect(result.status == status)
      #expect(result.errors.contains("\\u{1b}"))
      #expect(!result.errors.unicodeScalars.contains { "\u{1b}\u{7}\u{202e}\u{9b}".unicodeScalars.contains($0) })
    }
    let server = try Server()
    #expect(server.ask("gesture \u{1b}[2J").contains("\\u{1b}[2J"))
    #expect(server.end() == 0)
  }

  @Test("reads scenario lines from standard input while it serves") func serve() throws {
    let server = try Server()
    #expect(server.ask("battery 44") == "ok")
    #expect(server.ask("battery 444") == "error ‘444’ is not a level (0 to 100)")
    #expect(server.ask("stats").hasPrefix("ok 01ZK links=0"))
    #expect(server.end() == 0)
    #expect(try server.directory.read("err") == "")
  }

  @Test("replies on its control socket") func controlSocket() throws {
    let directory = try TemporaryDirectory()
    let server = try Server("--control \(directory.path)/control")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: (directory.path + "/control").utf8) }
    let client = SharedDescriptor(taking: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(connected == 0)
    let lines = "rssi -70\ngesture cover\n"
    #expect(write(client.rawValue, lines, lines.utf8.count) == lines.utf8.count)
    var answer = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !answer.hasSuffix("attached\n") {
      let count = read(client.rawValue, &buffer, buffer.count)
      guard count > 0 else { break }
      answer += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    #expect(answer == "ok\nerror no gear is attached\n")
    #expect(server.end() == 0)
    #expect(access(directory.path + "/control", F_OK) != 0, "the socket is removed")
  }

  @Test("writes strokes as a recording, the same each time") func strokes() throws {
    let arguments = ["strokes", "tap", "swipe_in", "--count", "3", "--person", "4"]
    let result = try Self.run(arguments)
    let lines = result.output.split(separator: "\n")
    #expect(result.status == 0 && result.errors == "")
    #expect(lines.first?.hasPrefix("{\"jacquard_recording\": 1, \"library\": \"jacquard-sim ") == true)
    #expect(lines.last?.contains("\"end\": ") == true)
    let strokes = lines.filter { $0.contains("\"stroke\": ") }
    #expect(strokes.count == 6)
    #expect(strokes[5].hasSuffix("\"stroke\": {\"name\": \"swipe-in\", \"person\": 4, \"seed\": 3}}"))
    #expect(lines.filter { $0.contains("\"touch\": {\"sequence\": ") }.count > 30)
    #expect(try Self.run(arguments).output == result.output)
  }

  @Test("writes the other touches of an hour") func otherStrokes() throws {
    let result = try Self.run(["strokes", "other", "--hours", "1", "--pause", "600"])
    #expect(result.status == 0)
    #expect(result.output.hasSuffix("{\"time\": 3601.000000, \"end\": \"complete\"}\n"))
  }

  @Test(
    "refuses strokes that do not exist, and impossible numbers of them",
    arguments: [
      ["slap"], [], ["tap", "--count", "0"], ["tap", "--count", "1", "--hours", "1"], ["tap", "--hours", "0"],
      ["tap", "--pause", "0"], ["tap", "--person", "-1"],
    ])
  func wrongStrokes(_ arguments: [String]) throws {
    let result = try Self.run(["strokes"] + arguments)
    #expect(result.status == 2 && result.output == "" && result.errors.contains("Usage: jacquard-sim strokes"))
  }

  @Test("exits with 70 after a protocol violation, and prints the bytes") func violation() async throws {
    let server = try Server("--time-scale 20")
    let loop = try EventLoop()
    let thread = try LoopThread(loop)
    try await loop.run { [address = server.address] in
      let connection = BusConnection(loop, try BusAddress(address))
      try await connection.open()
      let seen = (device: Completion<Void, CancellationError>(), characteristic: Completion<Void, CancellationError>())
      let rule = MatchRule(sender: FakeBlueZ.busName, member: "InterfacesAdded")
      let subscription = try await connection.subscribe(rule) {
        let path = Message($0).body().first?.asObjectPath
        if path == Host.device { seen.device.succeed(()) }
        if path == Host.command { seen.characteristic.succeed(()) }
      }
      try await connection.call(
        to: FakeBlueZ.busName, path: Host.adapter, interface: "org.bluez.Adapter1", member: "StartDiscovery")
      try await seen.device.value()
      try await connection.call(
        to: FakeBlueZ.busName, path: Host.device, interface: "org.bluez.Device1", member: "Connect")
      try await seen.characteristic.value()
      try await connection.call(
        to: FakeBlueZ.busName, path: Host.command, interface: "org.bluez.GattCharacteristic1", member: "WriteValue",
        [.bytes([1, 2]), [:]])
      subscription.cancel()
      connection.close()
    }
    thread.stop()
    loop.close()
    #expect(server.end() == violationStatus)
    #expect(
      try server.directory.read("err") == """
        jacquard-sim: 01ZK: violation: write before notifications are enabled (response, notification, rawData): 01 02
        jacquard-sim: 01ZK: violation: fragment without a first one (counter 1): 01 02
        jacquard-sim: 2 violations of the protocol

        """)
  }

  private let violationStatus: Int32 = 70
}
