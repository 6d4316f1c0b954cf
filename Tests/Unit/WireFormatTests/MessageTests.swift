import Testing

@testable import WireFormat

private func shape(_ bytes: [UInt8]) throws -> ShapeShape { try ShapeShape(serializedBytes: bytes) }

@Suite("Messages")
struct MessageTests {
  @Test("every field is written and read") func everyField() throws {
    let written = ShapeShape.with {
      $0.kind = .bent
      $0.other = .angular
      $0.size = .small
      $0.depth = -1
      $0.area = .max
      $0.place = .min
      $0.filled = false
      $0.width = 1.5
      $0.height = -0.0
      $0.name = "Grün"
      $0.image = [0, 255]
      $0.inner.name = ""
      $0.parts = [.with { $0.depth = 1 }, ShapeShape()]
      $0.corners = [0, 300, .max]
    }
    let read = try shape(written.serializedBytes())
    #expect(read == written)
    #expect(read.kind == .bent && read.other == .angular && read.size == .small)
    #expect(read.depth == -1 && read.area == .max && read.place == .min && !read.filled)
    #expect(read.width == 1.5 && read.height.sign == .minus && read.name == "Grün" && read.image == [0, 255])
    #expect(read.inner.hasName && read.parts.map(\.depth) == [1, -5] && read.corners == [0, 300, .max])
  }

  @Test("an absent field reads as its default") func defaults() {
    let empty = ShapeShape()
    #expect(empty.kind == .round && empty.other == .angular && empty.size == .large)
    #expect(empty.depth == -5 && empty.area == .max && empty.place == 0 && empty.filled)
    #expect(!empty.hasKind && !empty.hasFilled && !empty.hasInner)
    #expect(empty.parts.isEmpty && empty.corners.isEmpty && empty.serializedBytes() == [])
  }

  @Test("a cleared field is absent, and so is an emptied list") func clearing() {
    var shape = ShapeShape.with {
      $0.kind = .circular; $0.corners = [1]; $0.parts = [ShapeShape()]
    }
    shape.fields.clear(1)
    shape.corners = []
    shape.parts = []
    #expect(shape == ShapeShape() && !shape.hasKind)
  }

  @Test("fields are written in order, whatever the order in which they were set") func order() {
    let shape = ShapeShape.with {
      $0.corners = [1]; $0.size = .large; $0.depth = 2; $0.kind = .round
    }
    #expect(shape.serializedBytes() == [0x08, 7, 0x18, 1, 0x20, 2, 0x70, 1])
  }

  @Test("an unknown number of a closed enum is kept as an unknown field")
  func sparseEnum() throws {
    for (value, kind) in [(7, .round), (-3, .angular), (2_000_000_000, .bent)] as [(Int64, ShapeKind)] {
      let bytes = [0x08] + encoded(UInt64(bitPattern: value))
      #expect(try shape(bytes).kind == kind)
      #expect(try shape(bytes).serializedBytes() == bytes)
    }
    for value in [0, 1, 6, 8, -1, -2, -4, 1_999_999_999] as [Int64] {
      let bytes = [0x08] + encoded(UInt64(bitPattern: value))
      #expect(try !shape(bytes).hasKind)
      #expect(try shape(bytes).serializedBytes() == bytes)
    }
    #expect(try !shape([0x18, 2]).hasSize)
  }

  @Test("floats are equal if their bits are") func floats() {
    func width(_ value: Float) -> ShapeShape { .with { $0.width = value } }
    #expect(width(.nan) == width(.nan))
    #expect(width(0) != width(-0.0))
    #expect(width(.nan).width.isNaN)
  }

  @Test("text is equal if its bytes are") func texts() {
    func name(_ value: String) -> ShapeShape { .with { $0.name = value } }
    #expect(name("\u{e9}") != name("e\u{301}"))
  }

  @Test("merging replaces fields, merges messages and continues lists") func merging() throws {
    var one = ShapeShape.with {
      $0.name = "a"; $0.depth = 1; $0.inner.depth = 1; $0.corners = [1]; $0.parts = [.init()]
    }
    let other = ShapeShape.with {
      $0.name = "b"; $0.inner.name = "c"; $0.corners = [2]; $0.parts = [ShapeShape()]
    }
    try one.merge(serializedBytes: other.serializedBytes())
    #expect(one.name == "b" && one.depth == 1 && one.inner.depth == 1 && one.inner.name == "c")
    #expect(one.corners == [1, 2] && one.parts.count == 2)
    let before = one
    #expect(throws: WireError.malformed) { try one.merge(serializedBytes: [0x20, 9, 0xff]) }
    #expect(one == before)
  }

  @Test("a copy is independent of the original") func copies() {
    let original = ShapeShape.with { $0.inner.name = "a" }
    var copy = original
    copy.inner.name = "b"
    #expect(original.inner.name == "a")
  }
}

@Suite("Hostile bytes")
struct HostileMessageTests {
  @Test("messages nested more than 100 levels deep are refused", arguments: [1, 99, 100, 101, 1000, 100_000])
  func depth(_ depth: Int) {
    var lengths: [[UInt8]] = []
    var size = 0
    for _ in 1..<max(depth, 2) where depth > 1 {
      lengths.append([0x62] + encoded(UInt64(size)))
      size += lengths.last?.count ?? 0
    }
    let bytes = Array(lengths.reversed().joined())
    #expect(((try? shape(bytes)) != nil) == (depth <= 100))
  }

  @Test("groups nested too deeply are refused, and use no stack", arguments: [1, 99, 100, 1_000_000])
  func groups(_ depth: Int) {
    let bytes = [UInt8](repeating: 0x7b, count: depth) + [UInt8](repeating: 0x7c, count: depth)
    #expect(((try? shape(bytes)) != nil) == (depth <= 99))
  }

  @Test(
    "lengths beyond the end are refused before memory is reserved",
    arguments: [3, 1 << 31, 1 << 32, 1 << 62, UInt64(Int64.max), .max], [0x52, 0x5a, 0x62, 0x6a, 0x72, 0x7a] as [UInt8])
  func lengths(_ length: UInt64, _ key: UInt8) {
    #expect(throws: WireError.malformed) { try shape([key] + encoded(length) + [0, 0]) }
  }

  @Test(
    "what is cut off, too long or of no type is refused",
    arguments: [
      [0x08], [0x08, 0x80], [0x45, 0, 0, 0], [0x49, 0, 0, 0, 0, 0, 0, 0], [0x00, 0], [0x07, 0], [0x0e, 0], [0x0f, 0],
      [0x7b], [0x7c], [0x7b, 0x84, 0x01], [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0],
      [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [0x72, 1, 0x80],
    ] as [[UInt8]])
  func malformed(_ bytes: [UInt8]) {
    #expect(throws: WireError.malformed) { try shape(bytes) }
  }

  @Test("text that is not UTF-8 is repaired, and the other fields are kept")
  func repaired() throws {
    let read = try shape([0x52, 4, 0x61, 0xc3, 0x62, 0xf0, 0x20, 3])
    #expect(read.name == "a\u{fffd}b\u{fffd}" && read.depth == 3)
    #expect(try shape(read.serializedBytes()) == read)
  }

  @Test("a field of another wire type is kept unchanged") func foreignTypes() throws {
    for bytes in [[0x0d, 1, 2, 3, 4], [0x50, 1], [0x22, 1, 5], [0x60, 1], [0x43, 0x44]] as [[UInt8]] {
      let read = try shape(bytes)
      #expect(read.serializedBytes() == bytes)
      #expect(!read.hasKind && !read.hasName && !read.hasDepth && !read.hasInner && !read.hasWidth)
    }
  }
}

private func encoded(_ value: UInt64) -> [UInt8] {
  var bytes: [UInt8] = []
  var rest = value
  while rest >= 0x80 {
    bytes.append(UInt8(rest & 0x7f) | 0x80)
    rest >>= 7
  }
  return bytes + [UInt8(rest)]
}
