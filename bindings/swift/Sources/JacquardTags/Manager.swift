import CJacquard

/// One connection to the bus, and everything found through it. The library runs on a thread of its own, which ends with
/// the last reference to the manager and to the objects that came from it. All functions may be called from any task
/// and thread; none of them blocks.
public final class Manager: Sendable {
  /// Options of a manager.
  public struct Options: Sendable, Hashable {
    /// D-Bus address, unix: only; nil: `$DBUS_SYSTEM_BUS_ADDRESS`, else the system bus.
    public var busAddress: String?
    /// The address "00:11:22:33:44:55" of the adapter to use; nil: the first powered one.
    public var adapter: String?
    /// Absolute path of the directory that holds the known tags; nil: the user's.
    public var stateDirectory: String?
    /// 1 to 255 bytes, chosen by the program: see `restorations()`; nil: wanted tags are not remembered.
    public var restoreID: String?
    /// Whether the library connects to the wanted tags automatically; requires a `restoreID`.
    public var connectsAutomatically = false
    /// Whether the program has links itself, without the service that shares tags.
    public var isExclusive = false

    /// The defaults.
    public init() {}
  }

  let handle: Handle

  /// Creates a manager and starts its thread. Missing Bluetooth is not an error here; `adapterStates()` reports it.
  ///
  /// - Throws: `.invalidArgument`, `.busAddress`, `.system`
  public init(_ options: Options = Options()) throws(JacquardError) {
    let strings = [options.busAddress, options.adapter, options.stateDirectory, options.restoreID]
    handle = try withStrings(strings) { strings throws(JacquardError) in
      var fields = sized(jacquard_manager_options.self)
      fields.bus_address = strings[0]
      fields.adapter = strings[1]
      fields.state_directory = strings[2]
      fields.restore_id = strings[3]
      fields.auto_connect = UInt32(options.connectsAutomatically)
      fields.exclusive = UInt32(options.isExclusive)
      return try Handle({ jacquard_manager_unref($0) }) { jacquard_manager_new(&fields, $0) }
    }
    try check(jacquard_manager_start(handle.pointer))
  }

  /// The version of the library in use, "0.1.0".
  public static var libraryVersion: String { text(jacquard_version_string()) }

  /// The adapter's state: the current one soon after the call, then each change.
  public func adapterStates(buffering: Buffering = .everything) throws(JacquardError) -> Events<Adapter> {
    try subscribe(self, buffering, Adapter.init) {
      jacquard_manager_on_adapter(handle.pointer, { receive($0, $1) }, $0, release, $1)
    }
  }

  /// Log messages up to a level. The environment variable `JACQUARD_LOG` writes them to stderr.
  public func logMessages(
    upTo level: LogLevel, buffering: Buffering = .newest(1024)
  ) throws(JacquardError) -> Events<LogMessage> {
    try subscribe(self, buffering, LogMessage.init) {
      jacquard_manager_on_log(handle.pointer, level.rawValue, { receive($0, $1) }, $0, release, $1)
    }
  }

  // MARK: Scanning

  /// Scans for tags until `timeout` has passed, or the sequence is released or cancelled.
  ///
  /// Tags that are already connected to this machine are reported first. The sequence throws the error that ended the
  /// scan, such as `.poweredOff`.
  public func scan(
    _ options: ScanOptions = ScanOptions(), buffering: Buffering = .newest(1024)
  ) throws(JacquardError) -> Events<Advertisement> {
    try withStrings([options.serial]) { strings throws(JacquardError) in
      var fields = sized(jacquard_scan_options.self)
      fields.timeout_ms = options.timeout?.milliseconds ?? 0
      fields.serial = strings[0]
      fields.minimum_rssi = Int32(clamping: options.minimumRSSI ?? 0)
      fields.every_report = UInt32(options.reportsEverything)
      fields.wait_for_adapter = UInt32(options.waitsForAdapter)
      return try subscribe(self, buffering, Advertisement.init, unref: { jacquard_scan_unref($0) }) {
        jacquard_manager_scan(
          handle.pointer, &fields, { receive($0, $1) },
          { result, context in complete(value(result).flatMap { $0.error }, context) }, $0, release, $1)
      }
    }
  }

  /// Scans until a tag is found.
  ///
  /// - Parameters:
  ///   - serial: the end of the number that is printed on the tag; nil: any tag
  ///   - timeout: the time limit; nil: none
  /// - Throws: `.notFound` after the time limit, and the errors of `scan()`
  public func find(serial: String? = nil, timeout: Duration? = nil) async throws(JacquardError) -> Advertisement {
    var options = ScanOptions()
    options.serial = serial
    options.timeout = timeout
    for try await found in try scan(options) { return found }
    throw JacquardError(Task.isCancelled ? .cancelled : .notFound)
  }

  /// Whether any scan of this manager is running: the current value, then each change.
  public func scanningChanges(buffering: Buffering = .everything) throws(JacquardError) -> Events<Bool> {
    try subscribe(self, buffering, { (event: jacquard_scanning) in event.scanning != 0 }) {
      jacquard_manager_on_scanning(handle.pointer, { receive($0, $1) }, $0, release, $1)
    }
  }

  /// Whether any scan of this manager is running.
  public var isScanning: Bool { jacquard_manager_is_scanning(handle.pointer) == 1 }

  /// The tags that are connected to the adapter at this moment, by this program or another one, without a scan.
  public func connectedTags() async throws(JacquardError) -> [Advertisement] {
    try await askAll(self, Advertisement.init) {
      jacquard_manager_list_connected(
        handle.pointer, nil, { complete(Answer(pointer: $0, count: $1), $2, $3) }, $0, release, $1)
    }
  }
}
