import Foundation
import JacquardTags

/// A loadable module of the tag's firmware.
public struct Module {
  /// The name; may be "".
  public let name: String
  /// The number of the module within the product.
  public let moduleID: Identifier
  /// The vendor of the module.
  public let vendorID: Identifier
  /// The product of the module.
  public let productID: Identifier
  /// The version; nil if unknown.
  public let version: Version?
  /// Whether it is loaded.
  public let isEnabled: Bool

  /// A module.
  public init(
    name: String, moduleID: Identifier, vendorID: Identifier, productID: Identifier, version: Version?, isEnabled: Bool
  ) {
    (self.name, self.moduleID, self.vendorID, self.productID) = (name, moduleID, vendorID, productID)
    (self.version, self.isEnabled) = (version, isEnabled)
  }

  init(_ module: JacquardTags.Module) {
    self.init(
      name: module.name, moduleID: module.moduleID, vendorID: module.vendorID, productID: module.productID,
      version: module.version == JacquardTags.Version(0, 0, 0) ? nil : Version(module.version),
      isEnabled: module.isLoaded)
  }

  var module: JacquardTags.Module {
    var module = JacquardTags.Module(vendorID: vendorID, productID: productID, moduleID: moduleID)
    module.name = name
    return module
  }
}

/// A tag's report about a module.
public enum ModuleStatus {
  /// A module was loaded.
  case activated
  /// A module could not be loaded.
  case deactivated
}

/// Lists the modules that are installed on the tag.
public struct ListModulesCommand: ServedCommand {
  /// The result.
  public typealias Response = [Module]
  /// The command.
  public init() {}

  func perform(on tag: JacquardTags.Tag) async throws -> [Module] { try await tag.modules().map(Module.init) }
}

/// Loads a module. The result arrives when the module runs.
public struct ActivateModuleCommand: ServedCommand {
  /// No result.
  public typealias Response = Void
  private let module: Module

  /// Loads this module.
  public init(module: Module) { self.module = module }

  func perform(on tag: JacquardTags.Tag) async throws { try await tag.load(module.module) }
}

/// Unloads a module, which stays installed.
public struct DeactivateModuleCommand: ServedCommand {
  /// No result.
  public typealias Response = Void
  private let module: Module

  /// Unloads this module.
  public init(module: Module) { self.module = module }

  func perform(on tag: JacquardTags.Tag) async throws { try await tag.unload(module.module) }
}

/// Deletes a module from the tag.
public struct DeleteModuleCommand: ServedCommand {
  /// No result.
  public typealias Response = Void
  private let module: Module

  /// Deletes this module.
  public init(module: Module) { self.module = module }

  func perform(on tag: JacquardTags.Tag) async throws { try await tag.delete(module.module) }
}
