import Batch
import Foundation
import TestSupport
import Testing

@Suite struct HARReaderTests {
    private static func read(_ text: String, max: Int = 1 << 20, piece: Int = .max) -> ReadItems {
        ReadItems(HARReader(limits: BatchLimits(maxItemBytes: max)), Array(text.utf8), piece: piece)
    }

    private static func error(_ sentence: String, at byte: Int) -> BatchInputError {
        .malformed(BatchFault(sentence, at: byte))
    }

    @Test(
        arguments: [
            (#"{"log":{"entries":[]}}"#, []),
            (#"{"log":{"entries":[{}]}}"#, [(19, "{}")]),
            ("\u{FEFF} {\"log\" : {\n\"entries\" : [ {\"a\":1} , {} ] } }\n ", [(29, #"{"a":1}"#), (39, "{}")]),
            (
                #"{"a":[{"entries":[1]}],"log":{"b":{"log":{}},"entries":[{"c":"]}\"\\"}],"d":"}"},"e":-1e3,"f":1}"#,
                [(56, #"{"c":"]}\"\\"}"#)]
            ),
            (#"{"entries":[{}],"log":{"log":{"entries":[{}]},"entries":[{"é":[[]]}]}}"#, [(57, #"{"é":[[]]}"#)]),
            (#"{"\u006cog":{"\u0065ntries":[{}]}}"#, [(29, "{}")]),
        ] as [(String, [(Int, String)])]
    )
    func `reads the elements of log.entries, whatever the sizes of the reads`(text: String, entries: [(Int, String)]) {
        let expected = entries.map { ReadItems.Item(byte: $0.0, content: $0.1, form: .entry) }
        for piece in pieces {
            let found = Self.read(text, piece: piece)
            #expect(found.items == expected && found.error == nil, "\(piece)")
        }
    }

    @Test(
        arguments: [
            ("[]", 0, "an object"), ("{\"log\":[]}", 7, "the object `log`"), ("{\"log\":1}", 7, "the object `log`"),
            ("{\"log\":{\"entries\":{}}}", 18, "the array `log.entries`"),
            ("{\"log\":{,}}", 8, "a name or the end of the object"),
            ("{\"log\":{\"a\" 1}}", 12, "a colon"), ("{\"log\":{\"a\":]}}", 12, "a value"),
            ("{\"log\":{\"a\":1,}}", 14, "a name"),
            ("{\"log\":{\"a\":1 2}}", 14, "a comma or a closing bracket"),
            ("{\"log\":{\"a\":1]}", 13, "a comma or a closing bracket"),
            ("{\"log\":{\"entries\":[}}", 19, "an entry"),
            ("{\"log\":{\"entries\":[{}{}]}}", 21, "a comma or a closing bracket"),
            ("{\"log\":{\"entries\":[{},]}}", 22, "an entry"),
            ("{\"log\":{\"entries\":[{}}}", 21, "a comma or a closing bracket"),
            ("{\"log\":{\"entries\":[{\"a\":[}]}}", 25, "the end of the innermost object or array"),
            ("{\"log\":{\"entries\":[{]]}}", 20, "the end of the innermost object or array"),
            ("{\"log\":{\"entries\":[]}} {}", 23, "its end"), ("{\"log\":{\"entries\":[]}}\0", 22, "its end"),
        ] as [(String, Int, String)]
    )
    func `a fault outside the entries ends the input after the entries before it`(
        text: String,
        byte: Int,
        expected: String
    ) {
        for piece in pieces {
            let found = Self.read(text, piece: piece)
            #expect(
                found.error == Self.error("the HTTP archive has something else instead of \(expected)", at: byte),
                "\(piece)"
            )
            #expect(found.contents == Array(repeating: "{}", count: text.contains("[{}") ? 1 : 0))
        }
    }

    @Test(arguments: [
        (#"{"log":{"entries":[]},"log":{}}"#, 22, "the HTTP archive has a second `log`"),
        (#"{"log":{"entries":[{}],"a":1,"entries":[]}}"#, 29, "`log` has a second `entries`"),
        (#"{"log":{}}"#, 10, "the HTTP archive has no array `log.entries`"),
        (#"{"entries":[{}]}"#, 16, "the HTTP archive has no array `log.entries`"),
    ])
    func `an archive has one array of entries`(text: String, byte: Int, sentence: String) {
        for piece in pieces { #expect(Self.read(text, piece: piece).error == Self.error(sentence, at: byte)) }
    }

    @Test func `an archive that is cut off has the entries before its end`() {
        let text = #" {"log":{"a":"\"","entries":[{"b":[1]}, {"c":{}}],"d":2}}"#
        for empty in ["", " \n", "\u{FEFF}", "\u{FEFF}\t"] {
            for piece in [1, .max] { #expect(Self.read(empty, piece: piece) == Self.read("")) }
        }
        #expect(Self.read("").error == nil && Self.read("").items.isEmpty)
        #expect(ReadItems(HARReader(limits: BatchLimits(maxItemBytes: 9)), [0xEF]).error != nil)
        for count in 2..<text.utf8.count {
            for piece in [1, .max] {
                let found = Self.read(String(text.utf8.prefix(count))!, piece: piece)
                #expect(found.error == Self.error("the HTTP archive is cut off", at: count))
                #expect(found.items.count == (count >= 48 ? 2 : count >= 38 ? 1 : 0), "\(count)")
            }
        }
    }

    @Test func `elements that are not objects are rejected, and the next ones are read`() {
        let text = #"{"log":{"entries":[1,"{}",[{}],null,{},true,-1e5,false]}}"#
        for piece in pieces {
            let found = Self.read(text, piece: piece)
            let isEntry = found.items.map { $0.form == .entry }
            #expect(isEntry == [false, false, false, false, true, false, false, false] && found.error == nil)
            for item in found.items where item.form != .entry {
                let error = BatchItemError.malformed(BatchFault("the entry is not an object", at: item.byte))
                #expect(item.form == .rejected(error, id: nil))
            }
            #expect(found.items.map(\.byte) == [19, 21, 26, 31, 36, 39, 44, 49])
        }
    }

    @Test func `entries that are longer than the maximum are rejected, and the next ones are read`() {
        let text = #"{"log":{"entries":[{"a":12},{"a":123},{"b":"}{\"]"},{}]}}"#
        for piece in pieces {
            let found = Self.read(text, max: 8, piece: piece)
            let tooLong = ReadItems.Form.rejected(.tooLong(maxBytes: 8), id: nil)
            #expect(found.items.map(\.form) == [.entry, tooLong, tooLong, .entry] && found.error == nil)
            #expect(found.items.map(\.byte) == [19, 28, 38, 52])
        }
    }

    @Test func `depth does not matter to the search for the end of an entry`() {
        for depth in [1, 2_047, 2_048, 2_049, 100_000] {
            let entry = #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
            let found = Self.read(#"{"x":"# + entry + #","log":{"entries":["# + entry + ",{}]}}")
            #expect(found.contents == [entry, "{}"] && found.error == nil)
        }
    }

    @Test func `the memory does not depend on what is skipped`() {
        let text = #"{"log":{"pages":[""# + String(repeating: "x", count: 4 << 20) + #""],"entries":[{},{}]}}"#
        let found = Self.read(text, max: 100)
        #expect(found.items.count == 2 && found.maxBlockBytes <= 1 << 16)
    }

    @Test func `a block ends when the next entry would have to wait for more bytes`() throws {
        var reader = HARReader(limits: BatchLimits(maxItemBytes: 100))
        var source = PieceSource(Array(#"{"log":{"entries":[{},{},{"a":1}]}}"#.utf8), piece: 28)
        #expect(try reader.next(from: &source)?.items.count == 2)
        #expect(source.readBytes == 28)
        #expect(try reader.next(from: &source)?.items.count == 1)
        #expect(try reader.next(from: &source) == nil)
    }

    /// A search that begins again at the start of the entry would take minutes.
    @Test(arguments: [1, 4_096])
    func `the cost of a long entry does not depend on the sizes of the reads`(piece: Int) {
        let count = piece == 1 ? 1 << 20 : 16 << 20
        let text = #"{"log":{"entries":[{"a":""# + String(repeating: #"\"xxxxxxxxxxxxx"#, count: count / 16) + #""}]}}"#
        let time = processorTime { #expect(Self.read(text, max: 1 << 30, piece: piece).items.count == 1) }
        #expect(time < .seconds(30))
    }

    @Test(
        .needs("http/har-validator"),
        arguments: [("har/valid.json", 1), ("har/invalid.json", nil), ("request/valid.json", nil)] as [(String, Int?)]
    )
    func `reads the archives of har-validator`(name: String, entries: Int?) throws {
        let bytes = try Array(Data(contentsOf: Suites.url("http/har-validator/test/fixtures/\(name)")))
        let found = ReadItems(HARReader(limits: BatchLimits(maxItemBytes: 1 << 20)), bytes)
        #expect(found.items.count == entries ?? 0)
        #expect((found.error == nil) == (entries != nil))
    }
}
