import EventLoop

/// The modules that were loaded before an update, which unloads them.
final class SuspendedModules {
  private let connection: Connection
  private let checks: FirmwareChecks
  private var loaded: [Module] = []

  init(_ connection: Connection, _ checks: FirmwareChecks) {
    self.connection = connection
    self.checks = checks
  }

  func begin(with modules: [Module]) { loaded = modules.filter(\.isEnabled) }

  func unload(_ modules: [Module], on tag: Tag) async throws(JacquardError) {
    // Loaded by another part of the program between the check and the exclusion of modules.
    if modules.contains(where: \.isEnabled) { try await checks.refuseCapture(tag, modules) }
    for module in modules where module.isEnabled {
      if !loaded.contains(where: { $0.isSame(as: module) }) { loaded.append(module) }
      try await tag.unload(module)
    }
  }

  /// Reloads the modules that were loaded before, even after an error or if the update was cancelled.
  func restore() async {
    guard !loaded.isEmpty else { return }
    guard let tag = connection.state.tag, !tag.isStale else {
      connection.core.log(
        .warning, .link, of: connection.identifier,
        "modules were unloaded for the update and are not loaded again: the link is lost")
      return
    }
    await connection.core.loop.spawn { [self] in
      for module in loaded {
        do throws(JacquardError) {
          try await tag.load(module)
        } catch {
          connection.core.log(
            .warning, .link, of: connection.identifier,
            "the module \(module.name) was unloaded for the update and is not loaded again: \(error)")
        }
      }
    }.value
  }
}

extension Module {
  fileprivate func isSame(as other: Module) -> Bool {
    moduleID == other.moduleID && vendorID == other.vendorID && productID == other.productID
  }
}
