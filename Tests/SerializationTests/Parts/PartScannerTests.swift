import FuzzOracles
import Testing

@testable import Serialization

/// The scanner for parts, compared with a model over a tree.
@Suite struct PartScannerTests {
    /// A value as a tree. A name has a spelling in JSON.
    private indirect enum Tree {
        case scalar(String)
        case array([Tree])
        case object([(spelling: String, name: String, value: Tree)])

        var text: String {
            switch self {
            case .scalar(let text): text
            case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
            case .object(let members):
                "{" + members.map { "\"\($0.spelling)\":" + $0.value.text }.joined(separator: ",") + "}"
            }
        }

        /// The children with the tokens that lead to them.
        var children: [(token: String, value: Tree)] {
            switch self {
            case .scalar: []
            case .array(let elements): elements.enumerated().map { (String($0.offset), $0.element) }
            case .object(let members): members.map { ($0.name, $0.value) }
            }
        }

        func first(_ path: ArraySlice<String>) -> Tree? {
            guard let token = path.first else { return self }
            return children.lazy.filter { $0.token.utf8.elementsEqual(token.utf8) }
                .compactMap { $0.value.first(path.dropFirst()) }.first
        }

        /// The number of tokens of the longest prefix of a path that exists.
        func existing(_ path: ArraySlice<String>) -> Int {
            guard let token = path.first else { return 0 }
            return children.filter { $0.token.utf8.elementsEqual(token.utf8) }
                .map { 1 + $0.value.existing(path.dropFirst()) }.max() ?? 0
        }

        func without(_ patterns: [ArraySlice<String>], _ count: inout Int) -> Tree {
            func rests(_ token: String) -> [ArraySlice<String>] {
                patterns.filter { $0.first == "*" || $0.first.map { $0.utf8.elementsEqual(token.utf8) } ?? false }
                    .map { $0.dropFirst() }
            }
            var kept: [(index: Int, value: Tree)] = []
            for (index, child) in children.enumerated() {
                let rests = rests(child.token)
                if rests.contains(where: \.isEmpty) {
                    count += 1
                } else {
                    kept.append((index, child.value.without(rests, &count)))
                }
            }
            switch self {
            case .scalar: return self
            case .array: return .array(kept.map(\.value))
            case .object(let members):
                return .object(kept.map { (members[$0.index].spelling, members[$0.index].name, $0.value) })
            }
        }

        static func random(_ depth: Int, _ random: inout RandomSource) -> Tree {
            switch random.below(depth == 0 ? 2 : 6) {
            case 0: return .scalar(random.pick(["0", "-2.5e3", "true", "null", "12345678901234567890"]))
            case 1:
                let texts = [
                    "", "[]{},:", #"\""#, #"\\"#, #"x\\\"{"#, "日本語", String(repeating: "z", count: random.below(99)),
                ]
                return .scalar("\"" + random.pick(texts) + "\"")
            case 2, 3: return .array((0..<random.below(6)).map { _ in .random(depth - 1, &random) })
            default:
                return .object(
                    (0..<random.below(6)).map { _ in
                        let (spelling, name) = random.pick(names)
                        return (spelling, name, .random(depth - 1, &random))
                    }
                )
            }
        }

        private static let names = [
            ("a", "a"), ("b", "b"), ("ab", "ab"), (#"\u0061"#, "a"), ("", ""), (#"x\"y"#, "x\"y"), ("/", "/"),
            ("~", "~"),
            ("0", "0"), ("1", "1"), ("*", "*"), ("é", "é"), (#"\\"#, "\\"),
            ("a_long_internal_name", "a_long_internal_name"),
        ]
    }

    /// A path that exists in the tree in most cases.
    private static func path(in tree: Tree, wildcards: Bool, _ random: inout RandomSource) -> [String] {
        var (path, tree) = ([String](), tree)
        for _ in 0...random.below(5) {
            let children = tree.children
            guard !children.isEmpty, !random.oneIn(10) else {
                path.append(random.pick(["-", "00", "01", "zz", "99", "a", "0", ""]))
                break
            }
            let (token, child) = random.pick(children)
            path.append(wildcards && random.oneIn(3) ? "*" : token)
            tree = child
        }
        return path
    }

    private static func pointer(_ path: [String]) throws -> PartPointer {
        let tokens = path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }
        return try PartPointer(parsing: tokens.joined())
    }

    @Test func `5 000 documents have the same parts as a tree`() throws {
        var random = RandomSource(seed: 35)
        for _ in 0..<5_000 {
            let tree = Tree.random(5, &random)
            let path = Self.path(in: tree, wildcards: false, &random)
            let patterns = (0...random.below(random.oneIn(20) ? 64 : 4)).map { _ in
                Self.path(in: tree, wildcards: true, &random)
            }
            try compare(tree, path, patterns)
        }
    }

    private func compare(_ tree: Tree, _ path: [String], _ patterns: [[String]]) throws {
        let text = tree.text
        let selected = try reduced(text) { $0.selected = try Self.pointer(path) }
        let expected = tree.first(path[...])?.text
        #expect(selected.value == expected, "\(path) in \(text)")
        if expected == nil {
            #expect(selected.prefix == (try Self.pointer(Array(path.prefix(tree.existing(path[...]))))).text)
        }
        let omitted = try reduced(text) { $0.omitted = try patterns.map(Self.pointer) }
        var count = 0
        #expect(omitted.value == tree.without(patterns.map { $0[...] }, &count).text, "\(patterns) in \(text)")
        #expect(omitted.count == count, "\(patterns) in \(text)")
    }

    private func reduced(
        _ text: String,
        _ configure: (inout ValueParts) throws -> Void
    ) throws -> (value: String?, count: Int, prefix: String?) {
        var parts = ValueParts()
        try configure(&parts)
        var writer = JSONWriter()
        writer.buffer.append("before:")
        writer.raw(Array(text.utf8))
        var facts = DecodedFacts()
        do throws(SerializationError) {
            _ = try writer.reduce(from: 7, to: parts, &facts, Limits())
        } catch {
            guard case .partNotFound(let missing) = error else { throw error }
            return (nil, 0, missing.location.pointer)
        }
        let json = [UInt8](writer.buffer)
        #expect(json.prefix(7).elementsEqual("before:".utf8))
        return (String(decoding: json.dropFirst(7), as: UTF8.self), facts.omitted ?? 0, nil)
    }

    @Test func `every position of a part in a block is found`() throws {
        for padding in 0..<200 {
            let text = "{\"p\":\"" + String(repeating: #"\\"#, count: padding) + "\",\"a\":[1],\"z\":2}"
            #expect(try reduced(text) { $0.selected = try PartPointer(parsing: "/a") }.value == "[1]")
            let shorter = text.replacing(",\"a\":[1]", with: "")
            #expect(try reduced(text) { $0.omitted = [try PartPointer(parsing: "/a")] }.value == shorter)
        }
    }

    private static func object(_ members: [(String, String)]) -> Tree {
        .object(members.map { ($0.0, $0.0, .scalar($0.1)) })
    }

    @Test(arguments: [0, 1, 6, 7, 8, 9, 60, 61, 62, 63, 64, 65, 127, 128, 129])
    func `a name of any length is found at every position in a block`(length: Int) throws {
        let name = String(repeating: "n", count: length)
        // Two names of the same length, one that differs in the first byte, and one in the last byte.
        let others = length == 0 ? ["o"] : ["o" + name.dropFirst(), name.dropLast() + "o", name + "n"]
        for padding in 0..<130 {
            let pad = Self.object([("p", "\"" + String(repeating: "x", count: padding) + "\"")])
            let members = [(name, "1")] + others.map { ($0, "2") } + [(name, "[{}]")]
            let tree = Tree.array([pad, Self.object(members), Self.object(members.reversed())])
            try compare(tree, ["1", name], [["*", name]])
            try compare(tree, ["2", others[0]], [["*", name], ["*", others[0]]])
        }
    }

    @Test(arguments: [1, 2, 4, 5, 63, 64])
    func `so many names of different lengths, or of one letter, are left out`(count: Int) throws {
        let long = (0..<count).map { String(repeating: "n", count: $0) }
        let letters = (0..<count).map { Character(UnicodeScalar(UInt8(48 + $0))) }
        let short = letters.filter { $0 != "\\" }.map { String($0) }
        for names in [long, short] {
            let item = Self.object(names.map { ($0, "12") } + [("other", "{}")])
            let tree = Tree.array([item, .array([item, .scalar("null")]), item])
            try compare(tree, ["0", names[names.count - 1]], names.map { ["*", $0] })
            try compare(tree, ["1", "0", names[0]], names.map { ["*", "*", $0] })
        }
    }

    @Test func `a name with escapes is found if names without escapes are searched by their length`() throws {
        for padding in 0..<130 {
            let pad = String(repeating: "x", count: padding)
            let members: [(String, String, Tree)] = [
                (#"\u0061b"#, "ab", .scalar("1")), ("ab", "ab", .scalar("2")), (#"a\u0062"#, "ab", .scalar("3")),
                (#"\"ab"#, "\"ab", .scalar("4")), (#"\\"#, "\\", .scalar(#""\\""#)), ("", "", .scalar("null")),
            ]
            let tree = Tree.array([.scalar("\"\(pad)\""), .object(members), .object(members.reversed())])
            try compare(tree, ["1", "ab"], [["*", "ab"]])
            try compare(tree, ["1", ""], [["*", ""], ["*", "ab"]])
        }
    }

    @Test func `a scalar that a pattern enters does not make it enter the next container`() throws {
        let inner = Self.object([("b", "1"), ("c", "2")])
        let tree = Tree.object([("a", "a", .scalar("7")), ("long", "long", inner), ("a", "a", inner)])
        try compare(tree, ["a"], [["a", "b"]])
        try compare(tree, ["a", "c"], [["a", "b"], ["*", "c"]])
    }

    @Test func `deep containers are left out`() throws {
        var tree = Self.object([("x", "1"), ("y", "2")])
        for _ in 0..<100 { tree = .array([.object([("a", "a", tree), ("b", "b", .scalar("0"))])]) }
        let path = (0..<100).flatMap { _ in ["0", "a"] }
        try compare(tree, ["0", "a", "0"], [path + ["x"], (0..<100).flatMap { _ in ["*", "a"] } + ["y"]])
    }

    @Test func `the first members are left out, and the commas between the others remain`() throws {
        let names = ["a", "b", "c", "d"]
        let tree = Tree.array([Self.object(names.map { ($0, "1") }), .array([.scalar("1"), .scalar("2")])])
        for set in 1..<16 {
            let patterns = names.indices.filter { set >> $0 & 1 == 1 }.map { ["*", names[$0]] }
            try compare(tree, ["0"], patterns + [["1", "0"]])
        }
    }
}
