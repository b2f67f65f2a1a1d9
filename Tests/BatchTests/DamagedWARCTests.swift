import Batch
import Foundation
import TestSupport
import Testing

/// Plain web archives in which records are damaged: the next one is found.
@Suite struct DamagedWARCTests {
    private typealias Builder = WARCBuilder

    private static let somethingElse = "there is something other than a record of a web archive (WARC)"
    private static let first = Builder.response("1")
    private static let last = Builder.response("3", id: "c") + Builder.response("4", id: "d")

    /// The records of ``last``.
    private static func lastItems(at byte: Int) -> [ReadItems.Item] {
        [
            Builder.item("3", at: byte, id: "urn:c"),
            Builder.item("4", at: byte + Builder.response("3", id: "c").utf8.count, id: "urn:d"),
        ]
    }

    /// Returns what is found after ``first`` and damaged records; `nil` if ``first`` or ``last`` is not.
    private static func found(_ damaged: [UInt8], piece: Int = .max) -> [ReadItems.Item]? {
        let bytes = Array(first.utf8) + damaged + Array(last.utf8)
        let found = Builder.read(bytes, piece: piece)
        guard found == Builder.read(bytes, piece: piece, isLengthKnown: true), found.error == nil,
            found.items.first == Builder.item("1", at: 0),
            found.items.suffix(2) == lastItems(at: first.utf8.count + damaged.count)[...]
        else { return nil }
        return Array(found.items.dropFirst().dropLast(2))
    }

    private static func second(length: Int) -> String {
        Builder.response("HTTP/1.1 200 OK\r\nA: b", id: "b").replacingOccurrences(of: "h: 21", with: "h: \(length)")
    }

    @Test func `a length that is not right costs its record`() throws {
        let start = Self.first.utf8.count
        #expect(Self.second(length: 21) == Builder.response("HTTP/1.1 200 OK\r\nA: b", id: "b"))
        // A greater length may end at the end of another record.
        for length in Array(0..<120) + [9_999, 99_999_999, .max] {
            for piece in [1, 100, .max] {
                let text = Self.second(length: length)
                let found = try #require(Self.found(Array(text.utf8), piece: piece), "\(length)")
                let item = try #require(found.first)
                #expect(found.count == 1 && item.byte == start, "\(length)")
                switch item.form {
                // The line ends after a record may be counted as a part of it.
                case .message: #expect(21...25 ~= length)
                case .rejected(.malformed(let fault), id: .text("urn:b")):
                    #expect(!(21...25 ~= length) && fault.byte >= start)
                default: Issue.record("\(found)")
                }
            }
        }
    }

    @Test(arguments: ["request", "resource"])
    func `a record that is not an item is rejected if its length is not right`(type: String) throws {
        for (length, number) in [(5, 1), (8, 0), (11, 0), (12, 0), (13, 1), (200, 1), (2_000_000, 1)] {
            let record = Builder.record("WARC-Type: \(type)\r\n", "12345678", id: "b")
            let text = record.replacingOccurrences(of: "h: 8", with: "h: \(length)")
            for piece in [1, .max] {
                let found = try #require(Self.found(Array(text.utf8), piece: piece), "\(length)")
                #expect(found.count == number && found.allSatisfy { $0.byte == Self.first.utf8.count }, "\(length)")
            }
        }
    }

    @Test(arguments: [
        ("x", somethingElse), ("x\r\n\r\n", somethingElse), (String(repeating: "\0", count: 70_000), somethingElse),
        (String(repeating: "WWARC/WARC/1.0", count: 10_000), somethingElse),
        ("WARC/1.0\r\n\r\n", "a record has no Content-Length"),
        ("WARC/1.2\r\nContent-Length: 0\r\n\r\n", "the version of a record is 'WARC/1.2', not 1.0, 1.1, 0.17 or 0.18"),
        (
            "WARC/1.0\r\nContent-Length: 3x\r\nWARC-Type: response\r\n\r\n1234\r\n\r\n",
            "the Content-Length of a record is '3x', which is not a length"
        ),
        (
            "WARC/1.0\r\n" + String(repeating: "a: b\n", count: 20_000) + "\n",
            "the head of a record is longer than 65536 bytes"
        ),
    ])
    func `other bytes between records are rejected once`(text: String, sentence: String) throws {
        for piece in [1, 1_000, .max] {
            let found = try #require(Self.found(Array(text.utf8), piece: piece))
            #expect(found == [Builder.rejected(sentence, at: Self.first.utf8.count, id: nil)])
        }
    }

    /// Reads have 64 KiB, and 1 MiB of a damaged record is kept.
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577])
    func `other bytes of any length cost one record`(count: Int) throws {
        let bytes = [UInt8](repeating: 0x78, count: count)
        let between = try #require(Self.found(bytes))
        let item = Builder.rejected(Self.somethingElse, at: Self.first.utf8.count, id: nil)
        #expect(between == (count == 0 ? [] : [item]))
        let after = try #require(Self.found(Self.second(length: 20).utf8 + bytes))
        #expect(after.count == 1 && after.first?.byte == Self.first.utf8.count)
    }

    @Test func `a head is found wherever a read ends in it`() {
        for offset in -120...1 {
            let count = 65_536 - Self.first.utf8.count + offset
            #expect(Self.found([UInt8](repeating: 0x78, count: count))?.count == 1, "\(offset)")
        }
    }

    @Test func `a damaged record that no record follows ends the input`() {
        let start = Self.first.utf8.count
        let gzip = Builder.gzip(Builder.response("5"))
        let records = [Self.second(length: 5), Self.second(length: 9_999)]
        let damaged = records + ["x", "WARC/1.0\r\n\r\n", "WARC/1.0\r\nA"]
        for bytes in damaged.flatMap({ [Array($0.utf8), $0.utf8 + gzip] }) {
            for (piece, isLengthKnown) in [(1, false), (1, true), (.max, false), (.max, true)] {
                let found = Builder.read(Self.first.utf8 + bytes, piece: piece, isLengthKnown: isLengthKnown)
                #expect(found.items == [Builder.item("1", at: 0)])
                if case .malformed(let fault)? = found.error {
                    #expect(start..<start + bytes.count ~= fault.byte)
                } else {
                    Issue.record("\(found)")
                }
            }
        }
    }

    /// The length of a file is that at the beginning. A record that was incomplete then is damaged.
    @Test func `a file that grows is read to its end`() {
        let bytes = Array((Self.first + Self.last).utf8)
        for length in 0...bytes.count {
            var source = PieceSource(bytes, piece: 50)
            source.inputBytes = length
            let found = ReadItems(WARCReader(limits: BatchLimits(maxItemBytes: 100)), &source)
            #expect(found.items.count { !$0.content.isEmpty } >= 2, "\(length)")
            #expect(found.items.count == (found.error == nil ? 3 : 2), "\(length)")
        }
    }

    @Test func `a record that is cut off costs its record`() throws {
        let record = Array(Builder.response("HTTP/1.1 200 OK\r\nA: b", id: "b").utf8)
        for count in record.count - 25..<record.count {
            for piece in [1, .max] {
                let found = try #require(Self.found(Array(record.prefix(count)), piece: piece), "\(count)")
                let item = try #require(found.first)
                #expect(found.count == 1 && item.byte == Self.first.utf8.count, "\(count)")
                let isWhole = if case .message = item.form { true } else { false }
                #expect(isWhole == (count >= record.count - 4), "\(count)")
            }
        }
    }

    @Test func `bytes before the first record are rejected`() {
        for piece in [1, .max] {
            let found = Builder.read("x: y\r\n\r\n" + Self.last, piece: piece)
            #expect(found.items == [Builder.rejected(Self.somethingElse, at: 0, id: nil)] + Self.lastItems(at: 8))
            #expect(found.error == nil)
        }
    }

    @Test func `several damaged records are rejected one by one`() {
        let records = (0..<30).map { Self.second(length: [20, 21, 40, 60, 99_999][$0 % 5]) }
        for piece in [1, .max] {
            let found = Builder.read(records.joined() + Self.last, piece: piece)
            #expect(found.items.count == 32 && found.error == nil)
            #expect(found.items.prefix(30).map { $0.content.isEmpty } == (0..<30).map { $0 % 5 != 1 })
        }
    }

    /// A record may contain an archive.
    @Test func `nothing is searched in a record whose length is right`() {
        let archive = "WARC/1.0\r\n\r\n" + Self.last
        let records = Builder.response(archive, id: "b") + Builder.record("WARC-Type: resource\r\n", archive)
        for piece in [1, .max] {
            let found = Builder.read(records + Self.last, piece: piece)
            #expect(found.items == [Builder.item(archive, at: 0, id: "urn:b")] + Self.lastItems(at: records.utf8.count))
            #expect(found.skipped == ["resource": 1] && found.error == nil)
        }
    }

    /// The last MiB is kept for the search.
    @Test(arguments: ["response", "resource"]) func `a long record that is damaged is searched at its end`(
        type: String
    ) throws {
        let block = String(repeating: "x", count: 3 << 20)
        let record = Builder.record("WARC-Type: \(type)\r\nWARC-Target-URI: http://a/\r\n", block, id: "b")
        let text = Self.first + record.replacingOccurrences(of: "h: 3145728", with: "h: 3145928") + Self.last
        let found = Builder.read(text, max: 4 << 20)
        #expect(found.items.map(\.content) == ["1", "", "3", "4"] && found.error == nil)
        #expect(found.maxBlockBytes <= 3 << 20)
    }

    /// Such a record is not read before it is searched.
    @Test(arguments: ["response", "resource"]) func `a record that is longer than a file is searched completely`(
        type: String
    ) {
        let fields = "WARC-Type: \(type)\r\nWARC-Target-URI: http://a/\r\n"
        let record = Builder.record(fields, "12345678").replacingOccurrences(of: "h: 8", with: "h: 987654321")
        let records = String(repeating: Builder.response("5"), count: 20_000)
        let id = type == "response" ? "urn:a" : nil
        let bytes = Array((record + records).utf8)
        for max in [1 << 20, 1 << 40] {
            let found = Builder.read(bytes, max: max, isLengthKnown: true)
            #expect(found.items.count == 20_001 && found.error == nil)
            #expect(found.items.first == Builder.rejected("the input ends in a record", at: 0, id: id))
            #expect(found.maxBlockBytes <= 1 << 18)
        }
        // The length of standard input is not known: the last MiB is searched.
        for max in [1 << 20, 1 << 40] {
            let found = Builder.read(bytes, max: max)
            #expect(found.items.count == 1 + (1 << 20) / Builder.response("5").utf8.count && found.error == nil)
        }
        let cutOff = Builder.read(Array(record.utf8), isLengthKnown: true)
        #expect(cutOff.error == .malformed(BatchFault("the input ends in a record", at: 0)) && cutOff.items.isEmpty)
    }

    private static let hostile = [
        "\r\n\r\nWARC/1.0\r\n", "WARC/1.0\nA: b\n", "WARC/1.0\n", "WARC/", "W", "\n", "WARC/1.0\nA: WARC/1.0\n",
        "WARC/1.0\n A\n", "WARC/1.0\nContent-Length: 9\nWARC-Type: a\n\n",
        "WARC/1.0\nContent-Length: 1000000\nWARC-Type: a\n\n",
        "WARC/1.0\nContent-Length: 1000000\nWARC-Type: response\nWARC-Target-URI: http:\n\n",
        "WARC/1.0\nContent-Length: 9999999999\nWARC-Type: a\n\n", "WARC/1.0\nContent-Length: 0\n\n",
    ]

    @Test(arguments: hostile) func `the cost of a search is linear in bytes that look like many records`(text: String) {
        let bytes = Array((Self.first + "x" + String(repeating: text, count: (1 << 20) / text.utf8.count)).utf8)
        for isLengthKnown in [false, true] {
            let time = processorTime {
                let found = Builder.read(bytes, isLengthKnown: isLengthKnown)
                #expect(found.items.first == Builder.item("1", at: 0))
                #expect(found.maxBlockBytes <= 2 << 20)
            }
            #expect(time < .seconds(30))
        }
    }
}
