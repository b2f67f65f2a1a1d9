import FuzzOracles
import SerializationSupport
import Testing

@testable import Serialization

/// Members that the kernel leaves out, compared with `PartScanner`, which leaves them out of the whole value.
@Suite struct JSONOmittedNamesTests {
    private static let names = [
        "a", "b", "ab", #"\u0061"#, "", #"x\"y"#, "a_name_longer_than_a_vector", #"a_name_longer_than_a_vecto\u0072"#,
        "*", "é", "01",
    ]

    private static let patterns = [
        "/a", "/b", "/*/a", "/*/ab", "/a/b", "/a/*/a", "/*/*/b", "/*/x\"y", "/*/", "/a_name_longer_than_a_vector",
        "/*/é", "/*/a_name_longer_than_a_vector", "/*/*/*/a", "/*/b/a", "/none", "/01", "/*/*/01",
    ]

    private func text(_ depth: Int, _ random: inout RandomSource) -> String {
        let space = random.oneIn(8) ? random.pick([" ", "\n  ", "\t"]) : ""
        switch random.below(depth == 0 ? 3 : 8) {
        case 0: return space + random.pick(["0", "-2.5e3", "true", "12345678901234567890"])
        case 1: return space + random.pick(["null", #""""#, #""[]{},:""#, #""\"\\x""#, #""日本語""#])
        case 2: return space + "\"" + String(repeating: "z", count: random.below(99)) + "\""
        case 3, 4:
            // Elements that are alike, so that their names are expected.
            let element = text(depth - 1, &random)
            let elements = (0..<random.below(6)).map { _ in random.oneIn(4) ? text(depth - 1, &random) : element }
            return space + "[" + elements.joined(separator: ",") + space + "]"
        default:
            let count = random.oneIn(30) ? 60 + random.below(80) : random.below(7)
            let members = (0..<count).map { index in
                let name = count > 7 && !random.oneIn(20) ? "n\(index)" : random.pick(Self.names)
                return space + "\"\(name)\":" + text(depth - 1, &random)
            }
            return space + "{" + members.joined(separator: ",") + space + "}"
        }
    }

    private static let selections = ["", "", "", "/a", "/b", "/a/b", "/*", "/0/a"]

    /// The selected part of `text` without what patterns denote, and the number of parts, by the scanner.
    private func scanned(_ text: String, _ parts: ValueParts) throws -> (json: String, count: Int) {
        var writer = JSONWriter()
        writer.raw(Array(text.utf8))
        var facts = DecodedFacts()
        _ = try writer.reduce(from: 0, to: parts, &facts, Limits())
        return (String(decoding: [UInt8](writer.buffer), as: UTF8.self), facts.omitted ?? 0)
    }

    @Test func `5 000 documents are the same as without the members in the whole value`() throws {
        var random = RandomSource(seed: 49)
        for _ in 0..<5_000 {
            let content = (0..<(random.oneIn(4) ? 3 : 1)).map { _ in text(4, &random) }.joined(separator: "\n")
            let patterns = Array(Set((0...random.below(4)).map { _ in random.pick(Self.patterns) }))
            var options = SerializationOptions()
            options.view = .value
            options.records = random.oneIn(3) ? .many : .one
            options.nulls = random.pick([.keep, .drop, .dropAll])
            options.duplicates = random.pick([.first, .last, .last, .reject])
            options.serializer = .one(.json)
            let response = UpstreamResponse(status: 200)
            let whole = serialize(response, content: Array(content.utf8), options: options)
            options.parts.omitted = try patterns.map { try PartPointer(parsing: $0) }
            options.parts.selected = try PartPointer(parsing: random.pick(Self.selections))
            #expect(JSONOmittedNames(options.parts.omitted) != nil)
            let reduced = serialize(response, content: Array(content.utf8), options: options)
            #expect(reduced.warnings == whole.warnings)
            guard let json = whole.json else {
                #expect(reduced.chain == whole.chain)
                continue
            }
            let expected: (json: String, count: Int)
            do {
                expected = try scanned(json, options.parts)
            } catch SerializationError.partNotFound(let missing) {
                #expect(reduced.json == nil)
                #expect(reduced.chain == [.partNotFound(missing)], "\(patterns) in \(content)")
                continue
            }
            let selected = options.parts.selected.text
            #expect(reduced.json == expected.json, "\(patterns) in \(selected) of \(content)")
            options.view = .full
            let full = serialize(response, content: Array(content.utf8), options: options).json
            let start = #"{"outcome":"value","serializer":"json","value":"# + expected.json
            #expect(full?.hasPrefix(start) == true)
            let count = expected.count == 0 ? nil : #""omitted":\#(expected.count),"#
            #expect(full?.dropFirst(start.count).contains(count ?? #""omitted""#) == (count != nil))
            // The limit is that of the whole value.
            for (max, isAccepted) in [(json.utf8.count, true), (json.utf8.count - 1, false)] {
                options.view = .value
                var limits = Limits()
                limits.maxOutputBytes = max
                let limited = serialize(response, content: Array(content.utf8), options: options, limits: limits)
                #expect((limited.json != nil) == isAccepted, "\(max) bytes, \(patterns) in \(content)")
            }
        }
    }

    @Test(arguments: ["/0", "/a/0/b", "/*", "/a/*", "/a,/b/*", String(repeating: "/a", count: 257)])
    func `patterns with other tokens are left to the scanner`(omit: String) throws {
        #expect(JSONOmittedNames(try ValueParts.patterns(parsing: omit)) == nil)
    }

    @Test(arguments: [(2_047, true), (2_048, false)])
    func `patterns with many bytes of names are left to the scanner`(bytes: Int, isLeftOut: Bool) throws {
        var parts = ValueParts()
        parts.selected = try PartPointer(parsing: "/" + String(repeating: "s", count: bytes))
        parts.omitted = try ValueParts.patterns(parsing: "/*/a,/*/b")
        let patterns = parts.omittedOfSelected.map { $0.beginning(with: parts.selected) }
        #expect((JSONOmittedNames(patterns) != nil) == isLeftOut)
    }
}
