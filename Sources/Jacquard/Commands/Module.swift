import EventLoop
import JacquardWire

/// A loadable firmware module. It is identified by vendor, product and module number.
public struct Module: Equatable, Sendable {
  public var vendorID: UInt32
  public var productID: UInt32
  public var moduleID: UInt32
  /// May be empty; the three IDs identify the module.
  public var name: String
  /// Zeros unless the tag has reported the module.
  public var version: TagInfo.Version
  /// Whether the module is loaded.
  public var isEnabled: Bool
  /// The size of the module; 0 unless the tag has reported it.
  public var byteCount: UInt32

  /// Identifies a module for `load`, `unload` and `delete`. The remaining values are zeros.
  public init(vendorID: UInt32, productID: UInt32, moduleID: UInt32, name: String = "") {
    self.vendorID = vendorID
    self.productID = productID
    self.moduleID = moduleID
    self.name = name
    version = TagInfo.Version(major: 0, minor: 0, point: 0)
    isEnabled = false
    byteCount = 0
  }
}

extension Module {
  /// Takes the tag's report; fields that the report omits are 0 or empty.
  public init(_ descriptor: WireModuleDescriptor) {
    self.init(
      vendorID: descriptor.vendorID, productID: descriptor.productID, moduleID: descriptor.moduleID,
      name: descriptor.name)
    version = TagInfo.Version(
      major: descriptor.verMajor, minor: descriptor.verMinor, point: descriptor.verPoint)
    isEnabled = descriptor.isEnabled
    byteCount = descriptor.sizeBytes
  }

  fileprivate var wire: WireModuleDescriptor {
    var wire = WireModuleDescriptor()
    if !name.isEmpty { wire.name = name }
    wire.vendorID = vendorID
    wire.productID = productID
    wire.moduleID = moduleID
    return wire
  }

  /// A notification may omit numbers; those that it contains must match.
  fileprivate func isMeant(by descriptor: WireModuleDescriptor) -> Bool {
    (!descriptor.hasModuleID || descriptor.moduleID == moduleID)
      && (!descriptor.hasVendorID || descriptor.vendorID == vendorID)
      && (!descriptor.hasProductID || descriptor.productID == productID)
  }
}

extension Tag {
  /// Lists the installed modules, whether or not they are loaded.
  public func modules(deadline: Duration? = nil) async throws(JacquardError) -> [Module] {
    try await send(Self.moduleList, deadline).modules.map(Module.init)
  }

  /// Returns when the tag has reported that the module runs.
  public func load(_ module: Module, deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<Void>(.loadModule) {
      $0.loadModule.module = module.wire
    } answer: { _ in
    }
    try await inTurn(deadline, reserving: .modules) { turn throws(JacquardError) in
      guard !link.isUpdating else {
        throw JacquardError(.updateInProgress, JacquardError.Code.updateInProgress.text)
      }
      let loaded = Completion<WireLoadModuleNotification, JacquardError>()
      // Before the request, because the report may arrive before the response.
      let observation = notifications.workReports.moduleLoads.add {
        if module.isMeant(by: $0.module) { loaded.succeed($0) }
      }
      defer { observation.cancel() }
      try await turn.send(command)
      let report = try await turn.report(loaded, of: "the module")
      guard report.status == 0 else { throw JacquardError(tagStatus: report.status) }
    }
  }

  /// Unloads a module, which stays installed.
  public func unload(_ module: Module, deadline: Duration? = nil) async throws(JacquardError) {
    try await inTurn(deadline, reserving: .modules) { turn throws(JacquardError) in
      try await turn.send(Self.unloading(module))
    }
  }

  static let moduleList = TagCommand<WireListModuleResponse>(.listModules, isRepeatable: true) {
    $0.hasListModules ? $0.listModules : nil
  }

  static func unloading(_ module: Module) -> TagCommand<Void> {
    TagCommand(.unloadModule) {
      $0.unloadModule.module = module.wire
    } answer: { _ in
    }
  }

  /// Removes a module from the tag.
  public func delete(_ module: Module, deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<Void>(.deleteModule) {
      $0.deleteModule.module = module.wire
    } answer: { _ in
    }
    try await inTurn(deadline, reserving: .modules) { turn throws(JacquardError) in try await turn.send(command) }
  }
}
