import Foundation
import Testing

/// What belongs together is a type of its own: a function has at most six parameters, and so has an initializer,
/// whether it is written or memberwise.
@Suite struct ParameterListTests {
    private static let maxParameters = 6

    /// The functions and types that may have more, each with the reason.
    private static let exceptions: [String: String] = [
        "round": "FIPS 180-4 §6.2.2 has eight working variables"
    ]

    @Test func `no function and no initializer has more than six parameters`() throws {
        let files = Project.files(below: Project.root.appendingPathComponent("Sources"), suffix: ".swift")
        var found: [(name: String, line: String)] = []
        for file in files {
            let code = SwiftCode(try String(contentsOf: file, encoding: .utf8))
            for list in code.parameterLists where list.count > Self.maxParameters {
                found.append((list.name, "\(file.lastPathComponent):\(list.line): \(list.name) has \(list.count)"))
            }
        }
        #expect(files.count > 200)
        #expect(found.filter { Self.exceptions[$0.name] == nil }.map(\.line) == [])
        // Otherwise an exception permits a list that is written later.
        #expect(Set(found.map(\.name)).symmetricDifference(Self.exceptions.keys) == [])
    }

    @Test(arguments: [
        ("func one(a: A, _ b: [B: C], c: (D, E) -> F = { $0 }, d: G<H, I>) {}", "one 4"),
        ("init?(_ a: A, b: (c: B, d: C)) {}", "init 2"),
        ("static func == (one: A, other: A) -> Bool { one.b(1, 2) }", "== 2"),
        ("let a = Point(x: 1, y: [2, 3], z: f(4, 5),\n  )", "Point 3"),
        ("return .init(a, b)", "init 2"),
        ("let a = List<A, B>(a: 1, b: 2, c: 3)", "List 3"),
        ("self.init(a: 1, b: 2, c: { a, b in a + b })", "init 3"),
        ("// func one(a: A)\nlet a = \"Point(1, 2) \\(b(\"Point(3)\"))\" /* Point(4) */", ""),
        (##"let a = #"Point("1", 2)"# + """\n Point(3, "4")\n """"##, ""),
        ("case .one(let a, let b): read(a, b)", ""),
    ])
    func `parameters of declarations are counted, and arguments of initializers`(text: String, expected: String) {
        let lists = SwiftCode(text).parameterLists
        #expect(lists.map { "\($0.name) \($0.count)" }.joined(separator: ", ") == expected)
    }
}

/// The code of a Swift file, without comments and the contents of strings.
private struct SwiftCode {
    /// A list of parameters of a declaration, or of arguments of an initializer.
    struct List {
        var name: String
        var count: Int
        var line: Int
    }

    private var bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            let end = endOfCommentOrString(at: index)
            for blank in index..<end where bytes[blank] != UInt8(ascii: "\n") { bytes[blank] = UInt8(ascii: " ") }
            index = max(end, index + 1)
        }
    }

    var parameterLists: [List] {
        var lists: [List] = []
        var (index, line) = (0, 1)
        /// The word before the current one, if only white space is between them.
        var previous = ""
        while index < bytes.count {
            guard isInName(index) else {
                if bytes[index] == UInt8(ascii: "\n") { line += 1 }
                if !isSpace(index) { previous = String(UnicodeScalar(bytes[index])) }
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, isInName(index) { index += 1 }
            var name = String(decoding: bytes[start..<index], as: UTF8.self)
            var isDeclaration = previous == "func" || name == "init" && previous != "."
            if name == "func", let next = endOfSpace(index), !isInName(next) {
                // An operator.
                index = next
                while index < bytes.count, !isSpace(index), bytes[index] != UInt8(ascii: "(") { index += 1 }
                name = String(decoding: bytes[next..<index], as: UTF8.self)
                isDeclaration = true
            }
            let isInitializer = name == "init" || bytes[start] >= UInt8(ascii: "A") && bytes[start] <= UInt8(ascii: "Z")
            if isDeclaration || (isInitializer && previous != "case"), let open = startOfList(index, isDeclaration) {
                let count = isDeclaration ? self.count(UInt8(ascii: ":"), open) : arguments(open)
                if count > 0 { lists.append(List(name: name, count: count, line: line)) }
            }
            previous = name
        }
        return lists
    }

    /// Returns the offset of the parenthesis after a name, which generic parameters and, in a declaration, white space
    /// may precede.
    private func startOfList(_ end: Int, _ isDeclaration: Bool) -> Int? {
        var index = end
        if isDeclaration, index < bytes.count, "?!".utf8.contains(bytes[index]) { index += 1 }
        if isDeclaration, let next = endOfSpace(index), "<(".utf8.contains(bytes[next]) { index = next }
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "<") {
            var depth = 0
            repeat {
                switch bytes[index] {
                case UInt8(ascii: "<"): depth += 1
                case UInt8(ascii: ">") where bytes[index - 1] != UInt8(ascii: "-"): depth -= 1
                case UInt8(ascii: ";"), UInt8(ascii: "{"), UInt8(ascii: "\n"): return nil
                default: break
                }
                index += 1
            } while depth > 0 && index < bytes.count
        }
        return index < bytes.count && bytes[index] == UInt8(ascii: "(") ? index : nil
    }

    private func arguments(_ open: Int) -> Int {
        guard let first = endOfSpace(open + 1), bytes[first] != UInt8(ascii: ")") else { return 0 }
        var last = end(open) - 1
        while isSpace(last) { last -= 1 }
        return count(UInt8(ascii: ","), open) + (bytes[last] == UInt8(ascii: ",") ? 0 : 1)
    }

    /// Returns the number of `byte` in the brackets that begin at `open`, but not in brackets in them.
    private func count(_ byte: UInt8, _ open: Int) -> Int {
        var (depth, count) = (0, 0)
        for index in open..<end(open) {
            switch bytes[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case byte where depth == 1: count += 1
            default: break
            }
        }
        return count
    }

    /// Returns the offset of the bracket that closes the one at `open`.
    private func end(_ open: Int) -> Int {
        var depth = 0
        for index in open..<bytes.count {
            if "([{".utf8.contains(bytes[index]) { depth += 1 }
            if ")]}".utf8.contains(bytes[index]) { depth -= 1 }
            if depth == 0 { return index }
        }
        return bytes.count
    }

    private func endOfSpace(_ start: Int) -> Int? {
        var index = start
        while index < bytes.count, isSpace(index) { index += 1 }
        return index < bytes.count ? index : nil
    }

    private func isSpace(_ index: Int) -> Bool { bytes[index] == 0x20 || bytes[index] == 0x0A }

    private func isInName(_ index: Int) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    // MARK: Comments and strings

    private func has(_ text: String, at index: Int) -> Bool {
        index + text.utf8.count <= bytes.count && zip(text.utf8, index...).allSatisfy { bytes[$1] == $0 }
    }

    /// Returns the end of the comment or string that begins at `index`; `index` if none does.
    private func endOfCommentOrString(at index: Int) -> Int {
        switch bytes[index] {
        case UInt8(ascii: "/"):
            if has("//", at: index) { return offset(of: "\n", from: index) ?? bytes.count }
            return has("/*", at: index) ? offset(of: "*/", from: index).map { $0 + 2 } ?? bytes.count : index
        case UInt8(ascii: "#"), UInt8(ascii: "\""):
            var start = index
            while start < bytes.count, bytes[start] == UInt8(ascii: "#") { start += 1 }
            guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return index }
            return endOfString(at: start, hashes: String(repeating: "#", count: start - index))
        default: return index
        }
    }

    private func endOfString(at quote: Int, hashes: String) -> Int {
        let delimiter = has("\"\"\"", at: quote) ? "\"\"\"" : "\""
        var index = quote + delimiter.utf8.count
        while index < bytes.count, !has(delimiter + hashes, at: index) {
            if has("\\" + hashes + "(", at: index) {
                index = endOfInterpolation(at: index + hashes.utf8.count + 1)
            } else {
                index += has("\\" + hashes, at: index) ? hashes.utf8.count + 2 : 1
            }
        }
        return min(index + delimiter.utf8.count + hashes.utf8.count, bytes.count)
    }

    private func endOfInterpolation(at parenthesis: Int) -> Int {
        var (index, depth) = (parenthesis, 0)
        while index < bytes.count {
            let end = endOfCommentOrString(at: index)
            if end > index {
                index = end
                continue
            }
            if bytes[index] == UInt8(ascii: "(") { depth += 1 }
            if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
            index += 1
            if depth == 0 { break }
        }
        return index
    }

    private func offset(of text: String, from start: Int) -> Int? {
        (start..<bytes.count).first { has(text, at: $0) }
    }
}
