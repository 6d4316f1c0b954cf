import JacquardWire

/// A firmware module that can be loaded at run time.
struct TagModule: Equatable {
  var name: String
  var vendorID: UInt32
  var productID: UInt32
  var moduleID: UInt32
  var version: Version
  var isEnabled = false

  /// The module that records motion.
  static let motion = TagModule(
    name: "IMU", vendorID: 0x1178_30c8, productID: 0xef3e_5b88, moduleID: 0x3d0b_e753, version: Version(0, 17, 0))

  func matches(_ descriptor: WireModuleDescriptor) -> Bool {
    descriptor.vendorID == vendorID && descriptor.productID == productID && descriptor.moduleID == moduleID
  }
}

/// When the tag reports the result of loading a module, and with which result.
public enum LoadReport: Equatable, Sendable {
  case afterResponse
  case beforeResponse
  case never
  case failed(UInt32)
}

/// The modules installed on the tag.
struct ModuleShelf {
  var modules: [TagModule] = [.motion]

  var isAnyEnabled: Bool { modules.contains { $0.isEnabled } }
  var isMotionEnabled: Bool { modules.contains { $0.moduleID == TagModule.motion.moduleID && $0.isEnabled } }

  mutating func unloadAll() { for index in modules.indices { modules[index].isEnabled = false } }
}

extension SoftwareTag {
  func answerModules(_ request: WireRequest, _ kind: RequestKind) throws -> Answer {
    switch kind {
    case .listModules:
      return Answer { [modules] in
        $0.listModules = WireListModuleResponse()
        $0.listModules.modules = modules.modules.map { module in
          var descriptor = WireModuleDescriptor()
          descriptor.name = module.name
          descriptor.vendorID = module.vendorID
          descriptor.productID = module.productID
          descriptor.moduleID = module.moduleID
          descriptor.verMajor = module.version.major
          descriptor.verMinor = module.version.minor
          descriptor.verPoint = module.version.point
          descriptor.isEnabled = module.isEnabled
          return descriptor
        }
      }
    case .loadModule:
      let index = try index(of: request.loadModule.module)
      let moduleID = modules.modules[index].moduleID
      switch profile.behaviour.loadReport {
      case .never: return .done
      case .failed(let status): return Answer(then: { [weak self] in self?.notifyLoad(moduleID, status: status) })
      case .beforeResponse, .afterResponse: modules.modules[index].isEnabled = true
      }
      if profile.behaviour.loadReport == .beforeResponse {
        notifyLoad(moduleID)
        return .done
      }
      return Answer(then: { [weak self] in self?.notifyLoad(moduleID) })
    case .unloadModule:
      modules.modules[try index(of: request.unloadModule.module)].isEnabled = false
      recorder.interrupt()
      return .done
    case .deleteModule:
      modules.modules.remove(at: try index(of: request.deleteModule.module))
      recorder.interrupt()
      return .done
    default: throw Refusal.plain(ResponseStatus.unsupported)
    }
  }

  private func notifyLoad(_ moduleID: UInt32, status: UInt32 = 0) {
    notify(0, 18) {
      $0.loadModuleNotif.status = status
      $0.loadModuleNotif.module.moduleID = moduleID
    }
  }

  private func index(of descriptor: WireModuleDescriptor) throws -> Int {
    guard descriptor.hasVendorID, descriptor.hasProductID, descriptor.hasModuleID else {
      throw Refusal.breach(.fieldMissing, "vendor_id, product_id and module_id")
    }
    guard let index = modules.modules.firstIndex(where: { $0.matches(descriptor) }) else {
      throw Refusal.plain(ResponseStatus.badParameter)
    }
    return index
  }
}
