import JacquardWire

/// Values that hosts store on the tag, by vendor, product and key.
struct CustomConfiguration {
  private struct Owner: Hashable {
    var vendor: UInt32
    var product: UInt32
  }

  private var elements: [Owner: [WireConfigElement]] = [:]

  mutating func set(_ request: WireConfigSetRequest) throws {
    guard request.hasVid, request.hasPid, request.hasConfig, !request.config.key.isEmpty else {
      throw Refusal.breach(.fieldMissing, "vid, pid, config and its key")
    }
    let element = request.config
    let values = [
      element.hasBoolVal, element.hasUint32Val, element.hasUint64Val, element.hasInt32Val, element.hasInt64Val,
      element.hasFloatVal, element.hasDoubleVal, element.hasStringVal,
    ].filter { $0 }.count
    guard values == 1 else { throw Refusal.breach(.valueOutOfRange, "\(values) values in one config element") }
    let owner = Owner(vendor: request.vid, product: request.pid)
    elements[owner, default: []].removeAll { $0.key == element.key }
    elements[owner, default: []].append(element)
  }

  /// If nothing is stored, returns an element with the key and no value, which is not an error.
  func get(_ request: WireConfigGetRequest) throws -> WireConfigElement {
    guard request.hasVid, request.hasPid, !request.key.isEmpty else {
      throw Refusal.breach(.fieldMissing, "vid, pid and key")
    }
    if let stored = elements[Owner(vendor: request.vid, product: request.pid)]?.first(where: { $0.key == request.key })
    {
      return stored
    }
    var empty = WireConfigElement()
    empty.key = request.key
    return empty
  }

  func get(_ request: WireConfigGetIndexRequest) throws -> WireConfigElement {
    let stored = elements[Owner(vendor: request.vid, product: request.pid)] ?? []
    guard Int(request.index) < stored.count else { throw Refusal.plain(ResponseStatus.badParameter) }
    return stored[Int(request.index)]
  }
}
