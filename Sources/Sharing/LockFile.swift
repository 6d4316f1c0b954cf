import EventLoop
import Glibc

/// The file that decides which program is the host of a tag.
///
/// The host of an epoch holds the lock on one byte of it, which the kernel releases with the process. Locks of open file
/// descriptions also separate two managers of one process. The file is never mapped, because another process could truncate
/// it, and no lock is held while it is changed, because a process that holds one may be stopped: each host writes its own
/// slot only.
final class LockFile {
  /// fcntl(2); declared by <fcntl.h> only with GNU extensions.
  private enum Operation {
    static let getLock: Int32 = 36
    static let setLock: Int32 = 37
  }

  /// After the slots.
  private static let firstLock: Int64 = 4096

  /// The hosts recorded in the file.
  struct Records {
    /// In the order of their epochs.
    var hosts: [HostRecord] = []
    /// The offsets of slots with something else.
    var damaged: [Int] = []
    var isNewer = false
  }

  private let descriptor: UnsharedDescriptor

  /// - Parameter canCreate: whether it is created if it does not exist.
  init(_ files: MeetingFiles, canCreate: Bool = true) throws(SharingError) {
    let directory = try files.directory.open()
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    descriptor = UnsharedDescriptor(
      taking: openat(directory.rawValue, files.lock, flags | (canCreate ? O_CREAT : 0), MeetingFiles.mode))
    guard descriptor.rawValue >= 0 else { throw .last("open \(files.directory.path)/\(files.lock)") }
    guard MeetingFiles.isOwn(descriptor.rawValue, S_IFREG) else {
      throw .noDirectory("\(files.directory.path)/\(files.lock) is not a regular file that only this user can access.")
    }
  }

  // MARK: Records

  func records() throws(SharingError) -> Records {
    var records = try readOnce()
    // A slot may have been read while it was written.
    if !records.damaged.isEmpty { records = try readOnce() }
    guard !records.isNewer else { throw .refused(.version, by: 0) }
    return records
  }

  private func readOnce() throws(SharingError) -> Records {
    var records = Records()
    let failure = withSlots { slots in
      for index in 0..<HostRecord.slotCount {
        let offset = index * HostRecord.size
        switch HostRecord.read(UnsafeRawBufferPointer(rebasing: slots[offset..<offset + HostRecord.size])) {
        case .empty: break
        case .record(let host) where HostRecord.offset(host.epoch) == offset: records.hosts.append(host)
        case .newer: records.isNewer = true
        case .record, .damaged: records.damaged.append(offset)
        }
      }
    }
    if failure != 0 { throw .system(code: failure, call: "pread") }
    records.hosts.sort { $0.epoch < $1.epoch }
    return records
  }

  /// Whether a later host than that of `epoch` is recorded. Cheap: it is asked before every packet.
  func isSuperseded(_ epoch: UInt64) -> Bool {
    var isSuperseded = false
    _ = withSlots { slots in
      for offset in stride(from: 0, to: slots.count, by: HostRecord.size) {
        let other = UInt64(littleEndian: slots.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        guard other > epoch else { continue }
        let slot = UnsafeRawBufferPointer(rebasing: slots[offset..<offset + HostRecord.size])
        guard case .record = HostRecord.read(slot), HostRecord.offset(other) == offset else { continue }
        isSuperseded = true
      }
    }
    return isSuperseded
  }

  /// Zeros follow the end of the file. Returns 0 or the error.
  private func withSlots(_ body: (UnsafeRawBufferPointer) -> Void) -> Int32 {
    withUnsafeTemporaryAllocation(byteCount: HostRecord.slotCount * HostRecord.size, alignment: 8) { slots in
      slots.initializeMemory(as: UInt8.self, repeating: 0)
      while pread(descriptor.rawValue, slots.baseAddress, slots.count, 0) < 0 {
        if errno != EINTR { return errno }
      }
      body(UnsafeRawBufferPointer(slots))
      return 0
    }
  }

  func write(_ record: HostRecord) throws(SharingError) {
    try change(at: HostRecord.offset(record.epoch)) { record.write(to: $0) }
  }

  /// Otherwise every later host would have to assume that the last one was damaged.
  func clear(_ offset: Int) throws(SharingError) { try change(at: offset) { _ in } }

  /// - Parameter body: fills the slot, which is empty.
  private func change(at offset: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) throws(SharingError) {
    let failure: Int32 = withUnsafeTemporaryAllocation(byteCount: HostRecord.size, alignment: 8) { slot in
      slot.initializeMemory(as: UInt8.self, repeating: 0)
      body(slot)
      while pwrite(descriptor.rawValue, slot.baseAddress, slot.count, off_t(offset)) < 0 {
        if errno != EINTR { return errno }
      }
      return 0
    }
    if failure != 0 { throw .system(code: failure, call: "pwrite") }
  }

  // MARK: Locks

  /// Returns false if another host has it.
  func lock(_ epoch: UInt64) throws(SharingError) -> Bool {
    var lock = Self.lock(from: epoch, count: 1)
    while fcntl(descriptor.rawValue, Operation.setLock, &lock) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      default: throw .last("fcntl")
      }
    }
    return true
  }

  /// Releases it even if a child of fork() still has the descriptor.
  func unlock(_ epoch: UInt64) {
    var lock = Self.lock(from: epoch, count: 1)
    lock.l_type = Int16(F_UNLCK)
    _ = fcntl(descriptor.rawValue, Operation.setLock, &lock)
  }

  /// The highest epoch above `epoch` whose lock another host has.
  func highestHeld(above epoch: UInt64) throws(SharingError) -> UInt64? {
    var highest: UInt64?
    // The kernel returns any lock of a range.
    while let found = try anyHeld(from: (highest ?? epoch) + 1, to: HostRecord.highestEpoch) {
      highest = found.upperBound
    }
    return highest
  }

  /// The epochs below `epoch` whose locks other hosts have: one, unless several hang.
  func held(below epoch: UInt64) throws(SharingError) -> [UInt64] {
    var found: [UInt64] = []
    var ranges = [(first: UInt64(1), last: epoch - 1)]
    while let range = ranges.popLast(), found.count < HostRecord.slotCount {
      guard let held = try anyHeld(from: range.first, to: range.last) else { continue }
      found.append(held.lowerBound)
      ranges.append((range.first, held.lowerBound - 1))
      ranges.append((held.upperBound + 1, range.last))
    }
    return found
  }

  private func anyHeld(from first: UInt64, to last: UInt64) throws(SharingError) -> ClosedRange<UInt64>? {
    guard first <= last else { return nil }
    var lock = Self.lock(from: first, count: last - first + 1)
    while fcntl(descriptor.rawValue, Operation.getLock, &lock) != 0 {
      if errno != EINTR { throw .last("fcntl") }
    }
    guard lock.l_type != Int16(F_UNLCK) else { return nil }
    // A lock that is not one of this library may have any length; 0 means to the end.
    let offset = Int64(lock.l_start) - Self.firstLock
    let (end, overflows) = offset.addingReportingOverflow(Int64(lock.l_len) - 1)
    let start = min(max(offset, Int64(first)), Int64(last))
    return UInt64(start)...(lock.l_len == 0 || overflows ? last : UInt64(min(max(end, start), Int64(last))))
  }

  private static func lock(from epoch: UInt64, count: UInt64) -> flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(firstLock + Int64(epoch))
    lock.l_len = off_t(count)
    return lock
  }
}
