import EventLoop
import Glibc

/// Reads the socket of a bus, and splits the bytes into frames: each is one message as it was sent.
///
/// Nothing here depends on what a message contains. A malformed frame ends the stream.
final class MessageStream {
  enum Reading { case some, nothing, end }

  /// Enough for the values of some hundred notifications, or for a reply about ten devices.
  static let initialCapacity = 16 << 10
  /// The most descriptors that the kernel passes on in one call.
  private static let mostDescriptors = 253
  /// The most descriptors that may wait for their message. A bus sends both together, so few can wait.
  private static let mostWaiting = 4 * mostDescriptors

  private let socket: Int32
  private var buffer: UnsafeMutableRawBufferPointer
  /// The bytes that have been read, but not returned as a frame.
  private var start = 0
  private var end = 0
  private var control: UnsafeMutableRawBufferPointer
  /// Received descriptors that no frame has taken yet, in order.
  private(set) var descriptors: [SharedDescriptor] = []
  /// Whether the last call filled the buffer, so that more is probably there.
  private(set) var mayHaveMore = false
  /// Whether the stream has ended; only the frames that are complete remain.
  private(set) var hasEnded = false
  private(set) var isMalformed = false

  /// Nil without memory.
  init?(_ socket: Int32) {
    guard let buffer = Pages.map(Self.initialCapacity) else { return nil }
    self.socket = socket
    self.buffer = buffer
    control = .allocate(byteCount: MemoryLayout<cmsghdr>.stride + Self.mostDescriptors * 4 + 4, alignment: 8)
  }

  deinit {
    Pages.unmap(buffer)
    control.deallocate()
  }

  var capacity: Int { buffer.count }

  /// Called when libdbus is about to close the socket.
  func close() { hasEnded = true }

  /// Reads once. Frames that were returned before become invalid.
  func read() -> Reading {
    guard !hasEnded else { return .end }
    guard makeRoom() else {
      hasEnded = true
      return .end
    }
    let room = capacity - end
    var part = iovec(iov_base: buffer.baseAddress.map { $0 + end }, iov_len: room)
    let (count, isTruncated) = withUnsafeMutablePointer(to: &part) { part in
      var header = msghdr()
      header.msg_iov = part
      header.msg_iovlen = 1
      header.msg_control = control.baseAddress
      header.msg_controllen = control.count
      let count = recvmsg(socket, &header, Int32(MSG_DONTWAIT) | Int32(MSG_CMSG_CLOEXEC))
      if count > 0, header.msg_controllen > 0 {
        receiveDescriptors(UnsafeRawBufferPointer(rebasing: control[..<header.msg_controllen]))
      }
      return (count, header.msg_flags & Int32(MSG_CTRUNC) != 0)
    }
    if count > 0, !isTruncated, descriptors.count <= Self.mostWaiting {
      mayHaveMore = count == room
      end += count
      return .some
    }
    mayHaveMore = false
    if count < 0, [EAGAIN, EINTR, ENOMEM, ENOBUFS].contains(errno) { return .nothing }
    hasEnded = true
    return .end
  }

  /// The buffer grows with the received bytes, never with an announced length. Returns false without memory.
  private func makeRoom() -> Bool {
    if start == end {
      releaseMemory()
      // They belong to no message.
      descriptors = []
    } else if start > 0 {
      buffer.baseAddress.map { _ = memmove($0, $0 + start, end - start) }
      (start, end) = (0, end - start)
    }
    return end < capacity || resize(2 * capacity)
  }

  /// Releases the memory of a large message, if all frames have been handled.
  func releaseMemory() {
    guard start == end else { return }
    (start, end) = (0, 0)
    if capacity > Self.initialCapacity { _ = resize(Self.initialCapacity) }
  }

  private func resize(_ capacity: Int) -> Bool {
    guard let new = Pages.map(capacity) else { return false }
    new.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<end]))
    Pages.unmap(buffer)
    buffer = new
    return true
  }

  private func receiveDescriptors(_ control: UnsafeRawBufferPointer) {
    var at = 0
    let head = MemoryLayout<cmsghdr>.size
    while at + head <= control.count {
      let part = control.loadUnaligned(fromByteOffset: at, as: cmsghdr.self)
      let length = min(Int(part.cmsg_len), control.count - at)
      guard length >= head else { return }
      if part.cmsg_level == SOL_SOCKET, part.cmsg_type == Int32(SCM_RIGHTS) {
        for offset in stride(from: at + head, through: at + length - 4, by: 4) {
          descriptors.append(SharedDescriptor(taking: control.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
      }
      at += (length + 7) & ~7
    }
  }

  /// The next complete frame, valid until the next `read`.
  @inline(__always)
  func next() -> Frame? {
    let available = end - start
    guard available >= Frame.shortest, let base = buffer.baseAddress else { return nil }
    let bytes = base + start
    guard let (header, body) = Frame.lengths(bytes) else {
      isMalformed = true
      return nil
    }
    guard header + body <= available else { return nil }
    start += header + body
    return Frame(bytes: UnsafeRawBufferPointer(start: bytes, count: header + body), header: header)
  }

  /// Makes the frame that was returned last the next one.
  func putBack(_ frame: Frame) { start -= frame.bytes.count }

  /// Called when a frame has taken the first descriptors.
  func dropDescriptors(_ count: Int) { descriptors.removeFirst(count) }
}

/// Memory of whole pages, directly from the kernel: it is released at once, and glibc's allocator does not learn from
/// it to keep as much free memory of its own (mallopt(3), M_MMAP_THRESHOLD).
private enum Pages {
  static func map(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return address == MAP_FAILED ? nil : UnsafeMutableRawBufferPointer(start: address, count: count)
  }

  static func unmap(_ pages: UnsafeMutableRawBufferPointer) { munmap(pages.baseAddress, pages.count) }
}
