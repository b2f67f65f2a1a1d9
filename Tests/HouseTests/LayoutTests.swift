import Foundation
import Testing

/// Where source files are. A module or a folder that is not in these lists is a deliberate change of the
/// architecture (docs/architecture.md), which changes the list too.
@Suite struct LayoutTests {
    /// The folders of each Swift module, in which its source files are. The empty name is the folder of the module
    /// itself.
    private static let folders: [String: Set<String>] = [
        "Batch": [""],
        "Fetcher": ["Program", "Resolver", "Transfers"],
        "Fetching": ["Address", "Attempts", "Caching", "Frames", "Rules", "Settings", "Signatures", "URL"],
        "Flights": ["", "Cache", "Flight", "Origins", "Table"],
        "HTTP": ["Exchange", "Parsing", "Server"],
        "Images": [
            "", "BMP", "Facts", "GIF", "HEIF", "ICO", "JPEG", "Metadata", "PNG", "PSD", "Pixels", "Previews",
            "Resampling",
            "SVG", "TIFF", "WebP", "XBM",
        ],
        "Platform": ["", "Events", "Machine", "Process", "Sandbox", "Threads"],
        "Primitives": [""],
        "Serialization": [
            "", "CSV", "Charset", "Coding", "Events", "Feed", "Form", "Image", "Image/Plain", "JSON", "Message",
            "Output", "Parts", "PropertyList", "Raw", "Serializers", "Validation", "XML",
        ],
        "Service": [
            "", "Access", "Batch", "Commands", "Configuration", "Endpoints", "Fetch", "Fetch/Cache",
            "Fetch/Image", "Options", "Pages", "Problems", "Profiles", "RequestFormats", "RequestFormats/Envelope",
            "RequestFormats/Message", "Routing",
            "Scheduling", "Telemetry",
            "Telemetry/Log", "Telemetry/Metrics",
        ],
        "Worker": [""],
        "Workers": ["Pool", "Process", "Protocol", "System"],
    ]

    /// The modules in C, which have one folder, and `include` for what Swift sees.
    private static let shims: [String] = ((try? Manifest().sources) ?? []).filter(\.isWrapper).map(\.name)

    @Test func `every module in Swift has its list of folders`() throws {
        let modules = try Manifest().sources.filter { !$0.isWrapper }.map(\.name)
        #expect(Set(modules) == Set(Self.folders.keys))
    }

    @Test(arguments: folders.keys.sorted())
    func `every source file is in a folder that its module lists`(module: String) {
        let expected = Self.folders[module] ?? []
        let files = Self.unexpected(Self.sources(of: module), expected)
        #expect(files == [], "add the folder to LayoutTests.folders if the module should have it")
    }

    /// Otherwise a list keeps the name of a folder that is gone, and permits it again.
    @Test(arguments: folders.keys.sorted())
    func `every folder that a module lists has a source file`(module: String) {
        let expected = Self.folders[module] ?? []
        let found = Set(Self.sources(of: module).map(Self.folder))
        #expect(expected.subtracting(found) == [], "remove the folder from LayoutTests.folders")
    }

    @Test(arguments: shims)
    func `a module in C has no folder but include, and no Swift`(module: String) {
        let root = Project.root.appendingPathComponent("Sources/\(module)")
        let files = Project.files(below: root, suffix: ".c") + Project.files(below: root, suffix: ".h")
        let folders = Set(files.map { Self.folder(String($0.path.dropFirst(root.path.count + 1))) })
        #expect(folders.subtracting(["", "include"]) == [])
        #expect(Project.files(below: root, suffix: ".swift").isEmpty)
    }

    @Test func `a file in a folder that is not listed is found`() {
        let paths = [
            "One.swift", "HTTP/Front/Two.swift", "HTTP/Three.swift", "Util/Four.swift", "HTTP/Front/Deep/Five.swift",
        ]
        #expect(
            Self.unexpected(paths, ["", "HTTP/Front"])
                == ["HTTP/Three.swift", "Util/Four.swift", "HTTP/Front/Deep/Five.swift"]
        )
    }

    private static func unexpected(_ paths: [String], _ folders: Set<String>) -> [String] {
        paths.filter { !folders.contains(folder($0)) }
    }

    /// The folder of `path`, which is relative to the module; the empty string for the module's own.
    private static func folder(_ path: String) -> String {
        path.split(separator: "/").dropLast().joined(separator: "/")
    }

    /// The paths of the Swift files of `module`, relative to it.
    private static func sources(of module: String) -> [String] {
        let root = Project.root.appendingPathComponent("Sources/\(module)")
        return Project.files(below: root, suffix: ".swift").map { String($0.path.dropFirst(root.path.count + 1)) }
    }
}

extension LayoutTests {
    /// The maximum number of characters of a line of code, of a comment, or of a string.
    private static let maxColumns = 120

    @Test(arguments: ["Sources", "Tests"])
    func `no line of the sources and of the tests is longer than 120 columns`(folder: String) throws {
        let root = Project.root.appendingPathComponent(folder)
        let files = [".swift", ".c", ".h"].flatMap { Project.files(below: root, suffix: $0) }
        #expect(files.count > 300)
        let long = try files.flatMap { file in
            try Self.longLines(of: String(contentsOf: file, encoding: .utf8)).map { "\(file.lastPathComponent):\($0)" }
        }
        #expect(long == [], "break these lines; `swift format` does not break comments and strings")
    }

    /// Strings of benchmarks are configurations and rows of tables, and may be longer.
    @Test func `no line of the scripts is longer than 120 columns`() throws {
        let folders = [("scripts", false), ("Tests", false), (".ci", false), ("Benchmarks", true)]
        let scripts = folders.flatMap { folder, exceptStrings in
            Self.scripts(below: folder).map { (file: $0, exceptStrings: exceptStrings) }
        }
        #expect(scripts.count > 30)
        let makefile = (file: Project.root.appendingPathComponent("Makefile"), exceptStrings: false)
        let long = try (scripts + [makefile]).flatMap { file, exceptStrings in
            let text = try String(contentsOf: file, encoding: .utf8)
            return Self.longLines(of: text, exceptStrings: exceptStrings).map { "\(file.lastPathComponent):\($0)" }
        }
        #expect(long == [])
    }

    /// The files that begin with the name of an interpreter.
    private static func scripts(below folder: String) -> [URL] {
        Project.files(below: Project.root.appendingPathComponent(folder), suffix: "").filter { file in
            (try? FileHandle(forReadingFrom: file).read(upToCount: 2)) == Data("#!".utf8)
        }
    }

    @Test func `a long line is found by its number, and counted in characters`() {
        let full = String(repeating: "é", count: 120)
        #expect(Self.longLines(of: "a\n\(full)\n\(full)b\nc") == [3])
        let text = "let a = \"\(full)\"\n// \"\(full)\"\nlet b = \"\"\"\n\(full)c\n\"\"\"\n\(full)d"
        #expect(Self.longLines(of: text, exceptStrings: true) == [2, 6])
    }

    /// The numbers of the lines that are too long.
    /// - Parameter exceptStrings: whether lines with a string, or in one, are permitted.
    private static func longLines(of text: String, exceptStrings: Bool = false) -> [Int] {
        let lines = text.split(separator: "\n" as Character, omittingEmptySubsequences: false)
        var isInString = false
        return lines.indices.filter { index in
            let line = lines[index]
            let wasInString = isInString
            if exceptStrings, line.contains("\"\"\"") {
                isInString = line.ranges(of: "\"\"\"").count.isMultiple(of: 2) == isInString
            }
            guard line.utf8.count > maxColumns, line.count > maxColumns else { return false }
            let code = line.drop { $0 == " " }
            let isComment = code.hasPrefix("//") || code.hasPrefix("# ")
            return !exceptStrings || !wasInString && (isComment || !line.contains("\""))
        }.map { $0 + 1 }
    }
}
