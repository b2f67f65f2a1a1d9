// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "decant", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [.product(name: "Serialization", package: "decant")],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "ImageBenchmarks",
            dependencies: [
                .product(name: "Images", package: "decant"), .product(name: "Serialization", package: "decant"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
