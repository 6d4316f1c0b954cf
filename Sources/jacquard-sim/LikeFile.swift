import ArgumentParser
import TagSimulator
import TagStore

/// A file of `jacquardctl certify`: the actions that its answers decide.
///
/// The file may come from anyone. Only names of the table of assumptions, and values that the table has, become lines
/// of a scenario; a measured time may also be a number of milliseconds.
enum LikeFile {
  static let version = 1
  /// Questions beside the table of assumptions.
  private static let others: [(action: String, answers: [String])] = [
    ("address", TagBehaviour.Address.allCases.map(\.rawValue)),
    ("fragment-counter", TagBehaviour.FragmentCounter.allCases.map(\.rawValue)),
    ("pairing", HostAction.PairingQuestion.allCases.map(\.rawValue)),
  ]
  private static let times = ["flash-time", "motion erase-time", "link-time", "latency"]

  static func scenario(at path: String) throws -> Scenario {
    guard let bytes = InputFile.read(path) else { throw ValidationError("cannot read \(path.printable)") }
    do {
      return try Scenario(parsing: try lines(in: bytes).joined(separator: "\n"))
    } catch let problem as Problem {
      throw ValidationError("\(path): \(problem.text)".printable)
    }
  }

  struct Problem: Error { var text: String }

  static func lines(in bytes: [UInt8]) throws -> [String] {
    guard let file = try? JSON(utf8: bytes) else { throw Problem(text: "it is not complete JSON") }
    guard case .number(let text)? = file["jacquard_certify"], let number = Int(text), number >= 1 else {
      throw Problem(text: "it was not written by jacquardctl certify")
    }
    guard number <= version else {
      throw Problem(text: "it has version \(number); this program reads version \(version)")
    }
    guard case .object(let answers)? = file["answers"] else { throw Problem(text: "it has no answers") }
    return try (TagBehaviour.alternatives + others).compactMap { action, values in
      guard let answer = answers.first(where: { $0.key == action })?.value, let value = try value(of: answer, action)
      else { return nil }
      guard values.contains(value) || times.contains(action) && isTime(value) else {
        throw Problem(text: "its answer to \(action) is not one that this program knows")
      }
      return action == "pairing" ? "pairing asks \(value)" : "\(action) \(value)"
    }
  }

  /// The answer; if there is none, the first value that the observations leave.
  private static func value(of answer: JSON, _ action: String) throws -> String? {
    switch answer["value"] {
    case .string(let text)?: return text
    case .null?, nil: break
    default: throw Problem(text: "its answer to \(action) is not a text")
    }
    guard case .array(let candidates)? = answer["candidates"], case .string(let text)? = candidates.first else {
      return nil
    }
    return text
  }

  private static func isTime(_ text: String) -> Bool {
    let digits = text.dropLast(2)
    return text.hasSuffix("ms") && (1...6).contains(digits.count) && digits.allSatisfy { ("0"..."9").contains($0) }
  }
}

extension JSON {
  fileprivate subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == name }?.value
  }
}
