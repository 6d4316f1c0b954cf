// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the library's package does not need SwiftProtobuf.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
  name: "oracle",
  dependencies: [
    .package(name: "jacquard", path: "../../.."),
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "oracle",
      dependencies: [
        .product(name: "Codec", package: "jacquard"), .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      path: ".", exclude: ["OracleTests.swift", "generate"], swiftSettings: settings),
    .testTarget(
      name: "OracleTests", dependencies: ["oracle"], path: ".",
      exclude: ["generate"], sources: ["OracleTests.swift"], swiftSettings: settings),
  ]
)
