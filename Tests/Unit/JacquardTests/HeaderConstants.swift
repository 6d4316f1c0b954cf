import Glibc
import TestWorld

/// The enumerations of the public headers: the numbers of their constants by name.
let headerConstants: [String: [String: Int]] = {
  let include = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/include"
  let parts = ScratchDirectory.names(in: include + "/jacquard").map { include + "/jacquard/" + $0 }
  var found: [String: [String: Int]] = [:]
  for path in [include + "/jacquard.h"] + parts {
    var name = ""
    for line in lines(of: path) {
      let words = line.split { $0 == " " || $0 == "," }
      if line.hasPrefix("typedef enum ") { name = String(words[2]) }
      if line.hasPrefix("  JACQUARD_"), words.count > 2, words[1] == "=" {
        found[name, default: [:]][String(words[0])] = number(words[2])
      }
    }
  }
  return found
}()

private func number(_ text: Substring) -> Int? {
  text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
}

private func lines(of path: String) -> [Substring] {
  (try? DataFile.bytes(at: path)).map { String(decoding: $0, as: UTF8.self).split(separator: "\n") } ?? []
}
