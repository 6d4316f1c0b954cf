@testable import JacquardTags
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ManagerTests {
  @Test func theAdapterIsPoweredOn() async throws {
    let states = try Manager().adapterStates()
    for try await adapter in states where adapter.state == .poweredOn {
      #expect(adapter.error == nil && adapter.address.count == 17)
      return
    }
    Issue.record("the sequence ended")
  }

  @Test func aWrongBusAddressIsAnErrorWithAdvice() {
    var options = Manager.Options()
    options.busAddress = "nonsense"
    #expect {
      try Manager(options)
    } throws: { error in
      guard let error = error as? JacquardError else { return false }
      return error.code == .busAddress && !error.message.isEmpty && !error.advice.isEmpty
    }
  }

  @Test func anOlderLibraryIsRefused() throws {
    try requireLibrary(0x7f_0000)
    #expect {
      try requireLibrary(0x00_0063)
    } throws: { error in
      let error = error as? JacquardError
      return error?.code == .olderLibrary && error?.message.contains("libjacquard 0.0 is older than 0.1") == true
    }
  }

  @Test func aTextWithNULIsRefused() throws {
    let manager = try Manager()
    #expect(throws: JacquardError.self) { try manager.connect("a\0b") }
  }

  @Test func tagsAreFoundUntilTheTimeLimit() async throws {
    let manager = try Manager()
    var options = ScanOptions()
    options.timeout = .milliseconds(500)
    var serials: [String] = []
    for try await found in try manager.scan(options) { serials.append(found.serial) }
    #expect(serials == ["01ZK"])
  }

  @Test func anUnknownTagIsNotFound() async throws {
    let manager = try Manager()
    let error = await failure { _ = try await manager.find(serial: "ZZZZ", timeout: .milliseconds(200)) }
    #expect(error?.code == .notFound)
  }

  @Test func aScanEndsWithItsSequence() async throws {
    let manager = try Manager()
    let changes = try manager.scanningChanges()
    _ = try await manager.find(timeout: .seconds(20))
    var wasScanning = false
    for try await isScanning in changes {
      if wasScanning, !isScanning { break }
      wasScanning = isScanning
    }
    #expect(!manager.isScanning)
  }

  @Test func aScanThrowsWhatEndedIt() async throws {
    let manager = try Manager()
    tell("adapter off")
    let error = await failure { _ = try await manager.find(serial: "ZZZZ", timeout: .seconds(20)) }
    #expect(error?.code == .poweredOff && error?.advice.isEmpty == false)
    tell("adapter on")
    for try await adapter in try manager.adapterStates() where adapter.state == .poweredOn { break }
  }

  @Test func logMessagesAreDelivered() async throws {
    let manager = try Manager()
    let messages = try manager.logMessages(upTo: .debug)
    let message = try await messages.first(1).first
    #expect(message?.message.isEmpty == false && message?.part.isEmpty == false)
  }

  @Test func aCancelledTaskEndsItsSequence() async throws {
    let manager = try Manager()
    let task = Task {
      var options = ScanOptions()
      options.serial = "ZZZZ"
      for try await _ in try manager.scan(options) {}
      return manager.isScanning
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    _ = try await task.value
    #expect(await failure { _ = try await Task.sleep(for: .zero) } == nil)
    try await Task.sleep(for: .milliseconds(50))
    #expect(!manager.isScanning)
  }

  @Test func restoredTagsAreReportedOnce() async throws {
    var options = Manager.Options()
    options.restoreID = "org.example.swift"
    var identifier = ""
    do {
      let manager = try Manager(options)
      #expect(try await manager.restorations().isEmpty)
      let connection = try manager.connect(try await manager.find(timeout: .seconds(20)))
      _ = try await connection.tag()
      identifier = connection.identifier
    }
    options.connectsAutomatically = true
    let manager = try Manager(options)
    let restored = try await manager.restorations()
    #expect(restored.map(\.identifier) == [identifier] && restored[0].known == nil)
    let connection = try #require(restored[0].connection)
    #expect(try await connection.tag().battery().percent > 0)
    try await connection.disconnect()
  }
}
