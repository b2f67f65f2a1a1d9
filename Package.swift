// swift-tools-version: 6.2
import PackageDescription

/// The settings of all Swift targets. Warnings are errors, and in `Sources` each unsafe expression must be marked.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
let strictSettings = swiftSettings + [.strictMemorySafety()]
let cSettings: [CSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .treatAllWarnings(as: .error),
]

/// Whether the package contains only the programs of a release. `scripts/build` sets the variable: one invocation of
/// `swift build` then builds exactly the programs, and packages that only tests need are not fetched.
let hasOnlyPrograms = Context.environment["DECANT_ONLY_PROGRAMS"] == "1"

let package = Package(
    name: "decant",
    products: [
        .executable(name: "decant", targets: ["Service"]),
        .executable(name: "decant-fetcher", targets: ["Fetcher"]),
        .executable(name: "decant-worker", targets: ["Worker"]),
        .library(name: "Serialization", targets: ["Serialization"]),
        .library(name: "Images", targets: ["Images"]),
        // For tests and measurements.
        .executable(name: "origin", targets: ["ScriptedOrigin"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        // The program `decant`: routing, access, endpoints, lanes, fetching, problems, telemetry, configuration and the
        // command line.
        .executableTarget(
            name: "Service",
            dependencies: [
                "Batch",
                "Fetching",
                "Flights",
                "HTTP",
                "Platform",
                "Serialization",
                "Workers",
                "CDocuments",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictSettings
        ),
        // Listening, parsing, connections and exchanges. It knows an application, but no problems, serializers, workers
        // or fetching.
        .target(
            name: "HTTP",
            dependencies: ["CDeflate", "CMicroHTTPD", "Platform", "Primitives"],
            swiftSettings: strictSettings
        ),
        // The facilities of the kernel and the C library, each wrapped once: the clock, system errors, file
        // descriptors, the event loop, threads, the resources of the machine, the heap, signals, processes and their
        // sandbox.
        .target(
            name: "Platform",
            dependencies: ["CEvents", "CMalloc", "CSandbox", "CScheduler"],
            swiftSettings: strictSettings
        ),
        // Declarations of epoll, eventfd and accept4 of the C library, no code.
        .systemLibrary(name: "CEvents"),
        // The conversion of bytes to JSON, without sockets, files, clocks, logs and threads.
        .target(
            name: "Serialization",
            dependencies: [
                "CBrotli", "CCharsets", "CDeflate", "CVector", "CXML", "CZlib", "CZstd", "Primitives",
            ],
            swiftSettings: strictSettings
        ),
        // Everything that parses the content of an image: the facts in its header, its metadata, its pixels, and the
        // thumbnails and placeholders that are made from them.
        .target(
            name: "Images",
            dependencies: ["CJPEG", "CLCMS", "CPixels", "CPNG", "CTIFF", "CWebP", "Serialization"],
            swiftSettings: strictSettings
        ),
        // What serializing, fetching and HTTP have in common: the syntax of fields, status lines, numbers, dates,
        // addresses, Base64, hexadecimal and percent-encoding; header fields, entity tags, reason phrases, comparisons
        // of bytes, the buffer of a response, and SHA-256. `Serialization` exports it, so that its clients need one
        // import.
        .target(name: "Primitives", swiftSettings: strictSettings),
        // The rules of fetching upstream resources, without sockets and clocks: URLs, hosts, addresses, redirects,
        // fields, signatures, retries, the circuit breaker, the cache, the frames and settings of a fetcher.
        .target(name: "Fetching", dependencies: ["Primitives"], swiftSettings: strictSettings),
        // The state machine of fetching, without sockets, threads and clocks: merging, permits, queues, redirects,
        // receipts, slots, and the cache of responses. It knows neither a connection nor a serializer.
        .target(name: "Flights", dependencies: ["Fetching", "Platform", "Primitives"], swiftSettings: strictSettings),
        // The responses that a file contains: lines of NDJSON, entries of an HTTP archive, records of a web archive, and
        // frames, without files and threads.
        .target(name: "Batch", dependencies: ["Primitives", "Serialization"], swiftSettings: strictSettings),
        // The program `decant-fetcher`: the transfers of libcurl, the lookups of c-ares, and the loop that connects
        // them to the service.
        .executableTarget(
            name: "Fetcher",
            dependencies: ["CCares", "CCurl", "Fetching", "Platform", "Primitives"],
            swiftSettings: strictSettings
        ),
        // The wrapper around c-ares: a lookup of the addresses of one name, without files.
        .target(name: "CCares", cSettings: cSettings, linkerSettings: [.linkedLibrary("cares")]),
        // The wrapper around libcurl: transfers of one HTTP/1.1 request each, without names, redirects and decoding.
        .target(name: "CCurl", cSettings: cSettings, linkerSettings: [.linkedLibrary("curl")]),
        // The contract, the examples of problems and the parts of the pages, which the program contains; the compiler
        // embeds the files (`#embed`).
        .target(name: "CDocuments", exclude: ["problem-examples.txt", "site"], cSettings: cSettings),
        // The tables of the charsets, which `scripts/generate-charsets` makes from the WHATWG Encoding Standard; the
        // compiler embeds the file (`#embed`).
        .target(name: "CCharsets", exclude: ["LICENSE", "charsets.bin", "charsets.bin.sha256"], cSettings: cSettings),
        // Two inline functions on vectors: one multiplies 16-bit numbers and adds the products in pairs, one narrows
        // sums to bytes.
        .target(name: "CPixels", cSettings: cSettings),
        // An inline function converts the mask of a vector comparison to a word, another one counts bytes of JSON.
        .target(name: "CVector", cSettings: cSettings),
        // Two functions of the C library's heap, no code.
        .systemLibrary(name: "CMalloc"),
        // One function of the C library, which returns the processors that a thread may run on, no code.
        .systemLibrary(name: "CScheduler"),
        // The wrapper around libjpeg-turbo: open, scale, rows, end; and one call that encodes.
        .target(name: "CJPEG", cSettings: cSettings, linkerSettings: [.linkedLibrary("jpeg")]),
        // The wrapper around Little CMS: open a profile, convert pixels to sRGB.
        .target(name: "CLCMS", cSettings: cSettings, linkerSettings: [.linkedLibrary("lcms2")]),
        // The wrapper around libpng: open, rows, end; and one call that encodes.
        .target(
            name: "CPNG",
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("z")]
        ),
        // The wrapper around libtiff: open, rows of a page, next page.
        .target(name: "CTIFF", cSettings: cSettings, linkerSettings: [.linkedLibrary("tiff")]),
        // The wrapper around libwebp: one call reads a header, one decodes a frame, one encodes.
        .target(name: "CWebP", cSettings: cSettings, linkerSettings: [.linkedLibrary("webp")]),
        // The wrapper around zlib: inflates raw deflate data piece by piece, and computes checksums.
        .target(name: "CZlib", cSettings: cSettings, linkerSettings: [.linkedLibrary("z")]),
        // The wrapper around libdeflate: one call inflates a member of gzip, and one compresses content to a member.
        .target(name: "CDeflate", cSettings: cSettings, linkerSettings: [.linkedLibrary("deflate")]),
        // The wrapper around libbrotlidec: decodes brotli piece by piece.
        .target(name: "CBrotli", cSettings: cSettings, linkerSettings: [.linkedLibrary("brotlidec")]),
        // The wrapper around the decoder of libzstd: decodes frames of zstd piece by piece.
        .target(name: "CZstd", cSettings: cSettings, linkerSettings: [.linkedLibrary("zstd")]),
        // The wrapper around libxml2: one call converts text to a flat tape of its content.
        .target(name: "CXML", dependencies: ["CLibXML2"], cSettings: cSettings),
        // The location of the headers of libxml2.
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        // The wrapper around libmicrohttpd: plain functions, without types of the library; and the `recv` that the
        // library calls.
        .target(
            name: "CMicroHTTPD",
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("microhttpd")]
        ),
        // The program `decant-worker`: it reads images in a sandbox.
        .executableTarget(
            name: "Worker",
            dependencies: ["Images", "Platform", "Serialization", "Workers"],
            swiftSettings: strictSettings
        ),
        // The processes that read images: the pool, the protocol, and the loop of a worker.
        .target(
            name: "Workers",
            dependencies: [
                "Platform", "Serialization", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictSettings
        ),
        // The wrapper around the kernel's interfaces: seccomp, Landlock, sealed memory, starting a process.
        .target(name: "CSandbox", cSettings: cSettings),
        // The oracles with which fuzz targets and tests compare the library (docs/fuzzing.md).
        .target(
            name: "FuzzOracles",
            dependencies: ["Images", "Serialization"],
            path: "Tests/Fuzz/Oracles",
            swiftSettings: swiftSettings
        ),
        // The results of libxml2 alone: canonical forms, and whether a document is well-formed.
        .target(
            name: "CXMLReference",
            dependencies: ["CLibXML2"],
            path: "Tests/CXMLReference",
            cSettings: cSettings
        ),
        // The encoders of content codings, which the service does not have.
        .target(
            name: "CEncoders",
            path: "Tests/CEncoders",
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("z"), .linkedLibrary("brotlienc"), .linkedLibrary("zstd")]
        ),
        .target(name: "Encoders", dependencies: ["CEncoders"], path: "Tests/Encoders", swiftSettings: swiftSettings),
        // The folder of public test data, and the programs that are built with the tests.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftSettings),
        // A scripted HTTP origin for tests and measurements (docs/testing.md).
        .target(name: "Origin", dependencies: ["CEvents"], path: "Tests/Origin", swiftSettings: swiftSettings),
        .executableTarget(
            name: "ScriptedOrigin",
            dependencies: ["Origin"],
            path: "Tests/ScriptedOrigin",
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "OriginTests", dependencies: ["Origin", "ScriptedOrigin"], swiftSettings: swiftSettings),
        // The results of serializing responses, as values that tests compare.
        .target(
            name: "SerializationSupport",
            dependencies: ["Serialization"],
            path: "Tests/SerializationSupport",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SerializationTests",
            dependencies: [
                "Images", "Serialization", "SerializationSupport", "FuzzOracles", "Encoders", "CMalloc",
                "CXMLReference", "TestSupport",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ImagesTests",
            dependencies: [
                "Images", "Serialization", "SerializationSupport", "FuzzOracles", "CJPEG", "CPNG", "TestSupport",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "BatchTests",
            dependencies: [
                "Batch", "Encoders", "FuzzOracles", "Serialization", "SerializationSupport", "TestSupport",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FetchingTests",
            dependencies: ["Fetching", "Serialization", "FuzzOracles", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FlightsTests",
            dependencies: ["Fetching", "Flights", "Platform", "Primitives", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FetcherTests",
            dependencies: [
                "Fetcher", "Fetching", "Origin", "Platform", "SandboxProbe", "Serialization", "TestSupport",
            ],
            swiftSettings: swiftSettings
        ),
        // Makes a system call in the sandbox of a fetcher.
        .executableTarget(
            name: "SandboxProbe",
            dependencies: ["Platform", "CFaults"],
            path: "Tests/SandboxProbe",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PrimitivesTests",
            dependencies: ["Primitives"],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Service", "Batch", "Fetching", "Flights", "HTTP", "Images", "Origin", "Platform", "Primitives",
                "Serialization", "Workers", "FaultyWorker", "FuzzOracles", "Encoders", "TestSupport",
                .product(name: "Logging", package: "swift-log"), .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: swiftSettings
        ),
        // A worker for tests, whose decoder fails on command.
        .executableTarget(
            name: "FaultyWorker",
            dependencies: ["Workers", "Serialization", "CFaults"],
            path: "Tests/FaultyWorker",
            swiftSettings: swiftSettings
        ),
        .target(name: "CFaults", path: "Tests/CFaults", cSettings: cSettings),
        // Measures the working memory of one serialization in a separate process (docs/memory.md). No test depends on
        // it, because a test would be linked with its heap. It is built with the tests.
        .executableTarget(
            name: "MemoryProbe",
            dependencies: ["Serialization", "CHeapMeter"],
            path: "Tests/MemoryProbe",
            swiftSettings: swiftSettings
        ),
        .target(name: "CHeapMeter", path: "Tests/CHeapMeter", cSettings: cSettings),
        // Measures the processor time of the serializer alone for the items of a batch (Benchmarks/README.md). It is
        // built with the tests.
        .executableTarget(
            name: "BatchProbe",
            dependencies: ["Serialization"],
            path: "Tests/BatchProbe",
            swiftSettings: swiftSettings
        ),
        // Measures the memory and the speed of a cache in a separate process, whose heap nothing else uses. It is built
        // with the tests.
        .executableTarget(
            name: "CacheProbe",
            dependencies: ["Fetching", "CMalloc"],
            path: "Tests/CacheProbe",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "WorkersTests",
            dependencies: [
                "Worker", "Workers", "Platform", "Serialization", "FaultyWorker", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HouseTests",
            dependencies: ["Service", "Platform", "Serialization", "Fetching"],
            swiftSettings: swiftSettings
        ),
    ]
)

if hasOnlyPrograms {
    package.products.removeAll { $0.name == "origin" }
    package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
} else {
    // Parses the contract, whose examples are sent to the running service.
    package.dependencies.append(.package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"))
}
