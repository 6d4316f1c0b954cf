// swift-tools-version: 6.2
import PackageDescription

// pkg-config finds the library: an installed one, or that of the build directory through PKG_CONFIG_PATH. No setting is
// unsafe, so that other packages can depend on this one. Asynchronous functions run where their caller runs, which
// saves two switches of threads for each call on an actor.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func example(_ name: String) -> Target {
  .executableTarget(name: name, dependencies: ["JacquardTags"], path: "examples/\(name)", swiftSettings: settings)
}

let package = Package(
  name: "libjacquard-swift",
  products: [.library(name: "JacquardTags", targets: ["JacquardTags"])],
  targets: [
    .systemLibrary(name: "CJacquard", pkgConfig: "jacquard", providers: [.apt(["libjacquard-dev"])]),
    .target(name: "JacquardTags", dependencies: ["CJacquard"], swiftSettings: settings),
    example("battery"),
    example("gestures"),
    example("effects"),
    example("motion-record"),
    .testTarget(name: "JacquardTagsTests", dependencies: ["JacquardTags"], swiftSettings: settings),
  ]
)
