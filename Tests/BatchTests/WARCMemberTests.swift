import Batch
import Encoders
import Foundation
import Testing

/// Web archives that are compressed with gzip.
@Suite struct WARCMemberTests {
    private typealias Builder = WARCBuilder

    private static let somethingElse = "there is something other than a record of a web archive (WARC)"
    private static let onlyWebArchives =
        "gzip is supported only for web archives (WARC): decompress other content first, for example with `gzip -dc`"

    @Test func `each member has a record, whose offset is that of the member`() {
        let members = [
            Builder.gzip(Builder.request()), Builder.gzip(Builder.response("HTTP/1.1 200 OK\r\n\r\n1")),
            Builder.gzip(""), Builder.gzip(Builder.response("2", id: "b")),
        ]
        let offsets = [members[0].count, members[..<3].joined().count]
        for piece in pieces {
            let found = Builder.read(Array(members.joined()), piece: piece)
            #expect(
                found.items == [
                    Builder.item("HTTP/1.1 200 OK\r\n\r\n1", at: offsets[0]),
                    Builder.item("2", at: offsets[1], id: "urn:b"),
                ]
            )
            #expect(found.skipped == ["request": 1] && found.error == nil)
        }
    }

    @Test func `one member may have all records`() {
        let records = (0..<2_000).map { Builder.response("\($0)") }
        for piece in [1, 4_096, .max] {
            let found = Builder.read(Builder.gzip(records.joined()), piece: piece)
            #expect(found.contents == (0..<2_000).map { "\($0)" } && found.error == nil)
            #expect(found.items.allSatisfy { $0.byte == 0 })
        }
    }

    @Test func `content other than records is rejected`() {
        for text in ["{}", "{\"log\":{}}", "x", "filedesc://"] {
            let found = Builder.read(Builder.gzip(text))
            #expect(found.items.isEmpty && found.error == .unsupported(Self.onlyWebArchives))
        }
    }

    /// An input that is known to be a web archive, and not only by its content.
    private static let known: [(String, BatchFormat?)] = [("a", .warc), ("a.warc.gz", nil), ("A.WARC.GZ", .warc)]

    private static func read(_ bytes: [UInt8], _ name: String, _ format: BatchFormat?, piece: Int) -> ReadItems {
        ReadItems(BatchInput(name: name, format: format, limits: BatchLimits(maxItemBytes: 100)), bytes, piece: piece)
    }

    @Test(arguments: known)
    func `members before the first record that contain something else are one item`(name: String, format: BatchFormat?)
    {
        let record = Builder.gzip(Builder.response("1"))
        for other in [["x"], ["{}", "[1]", ""], ["", "", "x"]] {
            let members = other.flatMap(Builder.gzip)
            let start = other[0].isEmpty ? 2 * Builder.gzip("").count : 0
            for piece in pieces {
                let found = Self.read(members + record, name, format, piece: piece)
                let rejected = Builder.rejected(Self.somethingElse, at: start, id: nil)
                #expect(found.items == [rejected, Builder.item("1", at: members.count)] && found.error == nil)
                let alone = Self.read(members, name, format, piece: piece)
                #expect(alone.items.isEmpty && alone.error == .unsupported(Self.onlyWebArchives))
            }
            #expect(Self.read(members + record, "a.gz", nil, piece: .max).error == .unsupported(Self.onlyWebArchives))
        }
    }

    @Test(arguments: known) func `a corrupt first member costs its record`(name: String, format: BatchFormat?) {
        let first = Builder.gzip(Builder.response("1"))
        let second = Builder.gzip(Builder.response("2", id: "b"))
        for index in first.indices {
            for change: UInt8 in [0x10, first[index]] where change != 0 {
                var broken = first
                broken[index] ^= change
                let found = Self.read(broken + second, name, format, piece: .max)
                #expect(found.items.last == Builder.item("2", at: first.count, id: "urn:b"), "\(index)")
                #expect(found.items.count == 2 && found.items[0].byte == 0 && found.error == nil, "\(index)")
                #expect(Self.read(broken + second, name, format, piece: 1) == found)
            }
        }
    }

    @Test func `the beginning of an archive in gzip may be missing`() {
        let first = Builder.gzip(Builder.response("1"))
        let second = Builder.gzip(Builder.response("2", id: "b"))
        for count in 0..<first.count {
            let rest = Array(first.dropFirst(count))
            let found = Self.read(rest + second, "a.warc.gz", nil, piece: .max)
            #expect(found.items.count == 2 && found.error == nil, "\(count)")
            #expect(found.items.last == Builder.item("2", at: rest.count, id: "urn:b"), "\(count)")
        }
        let plain = Array(Builder.response("1").utf8)
        for piece in pieces {
            #expect(Self.read(plain, "a.warc.gz", nil, piece: piece).items == [Builder.item("1", at: 0)])
            #expect(Self.read([], "a.warc.gz", nil, piece: piece) == Self.read([], "a.warc", nil, piece: piece))
            #expect(Self.read([0, 0, 0], "a.warc.gz", nil, piece: piece).error != nil)
        }
    }

    /// Each byte of the second of three members is changed.
    @Test func `a corrupt member costs its record`() {
        let members = [
            Builder.gzip(Builder.response("1")), Builder.gzip(Builder.response("2", id: "b")),
            Builder.gzip(Builder.response("3", id: "c")),
        ]
        let (second, third) = (members[0].count, members[0].count + members[1].count)
        for index in members[1].indices {
            var broken = members[1]
            broken[index] ^= 0x10
            let input = members[0] + broken + members[2]
            let found = Builder.read(input)
            #expect(found.items.first == Builder.item("1", at: 0) && found.error == nil, "\(index)")
            #expect(found.items.last == Builder.item("3", at: third, id: "urn:c"), "\(index)")
            #expect(found.items.count == 3, "\(index)")
            #expect(Builder.read(input, piece: 1) == found)
            // The time, the flags and the system in a header, and the last bits of the data, have no checksum.
            guard case .rejected(.malformed(let fault), _) = found.items[1].form else {
                let isUnchecked = 3...9 ~= index || index == members[1].count - 9
                #expect(isUnchecked && found.items[1] == Builder.item("2", at: second, id: "urn:b"), "\(index)")
                continue
            }
            #expect(fault.byte == second && found.items[1].byte == second)
        }
    }

    @Test func `a member that is cut off costs its record`() {
        let members = [Builder.gzip(Builder.response("1")), Builder.gzip(Builder.response("2", id: "b"))]
        let third = Builder.gzip(Builder.response("3", id: "c"))
        for count in 1..<members[1].count {
            let input = members[0] + members[1].prefix(count) + third
            for piece in [1, .max] {
                let found = Builder.read(input, piece: piece)
                #expect(found.items.count == 3 && found.error == nil, "\(count)")
                #expect(found.items.first == Builder.item("1", at: 0))
                #expect(found.items.last == Builder.item("3", at: members[0].count + count, id: "urn:c"), "\(count)")
                #expect(found.items.dropFirst().first?.byte == members[0].count)
            }
        }
    }

    @Test func `the input ends with a member that is cut off or corrupt, if no other follows`() {
        let first = Builder.gzip(Builder.response("1"))
        let second = Builder.gzip(Builder.response("2"))
        for count in 1..<second.count {
            let found = Builder.read(first + second.prefix(count), piece: count)
            #expect(found.items == [Builder.item("1", at: 0)])
            #expect(found.error == .malformed(BatchFault("a member of gzip is cut off", at: first.count)), "\(count)")
        }
        for index in second.count - 8..<second.count {
            var broken = second
            broken[index] ^= 1
            let part = index < second.count - 4 ? "checksum" : "length"
            let sentence = "a member of gzip is corrupt: its \(part) is not valid"
            let found = Builder.read(first + broken)
            #expect(found.items == [Builder.item("1", at: 0)])
            #expect(found.error == .malformed(BatchFault(sentence, at: first.count)))
        }
        let padded = Builder.read(first + [UInt8](repeating: 0, count: 100_000) + second + [0, 0, 0], piece: 4_096)
        #expect(padded.items == [Builder.item("1", at: 0), Builder.item("2", at: first.count + 100_000)])
        #expect(padded.error == nil)
        let garbage = Builder.read(first + [1, 0, 0])
        let sentence = "a member of gzip is corrupt: its header is not valid"
        #expect(garbage.items.count == 1)
        #expect(
            [sentence, "a member of gzip is cut off"].map { .malformed(BatchFault($0, at: first.count)) }
                .contains(garbage.error)
        )
    }

    @Test func `a record that is longer or shorter than its member is rejected`() {
        let record = Builder.response("12345")
        let next = Builder.gzip(Builder.response("x", id: "b"))
        let short = Builder.gzip(record.replacingOccurrences(of: "Content-Length: 5", with: "Content-Length: 50"))
        let long = Builder.gzip(record.replacingOccurrences(of: "Content-Length: 5", with: "Content-Length: 3"))
        for piece in [1, .max] {
            #expect(
                Builder.read(short + next, piece: piece).items == [
                    Builder.rejected("a member of gzip ends in a record", at: 0),
                    Builder.item("x", at: short.count, id: "urn:b"),
                ]
            )
            #expect(
                Builder.read(long + next, piece: piece).items == [
                    Builder.rejected("there is something other than a record of a web archive (WARC)", at: 0),
                    Builder.item("x", at: long.count, id: "urn:b"),
                ]
            )
        }
    }

    /// Each of the beginnings is a member that has the rest as its data, and a wrong checksum.
    @Test func `bytes that look like many members are inflated a bounded number of times`() {
        let headBytes = 28
        let beginnings = (0..<1_000).map { number -> ArraySlice<UInt8> in
            let dataBytes = UInt16((1_000 - number) * headBytes - 15)
            let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 0]
            let lengths = [dataBytes, ~dataBytes].flatMap { length -> [UInt8] in
                [UInt8(length & 0xFF), UInt8(length >> 8)]
            }
            let start: [UInt8] = head + lengths
            return (start + Array("WARC/1.0\r\nxxx".utf8)).prefix(headBytes)
        }
        let lastBlock: [UInt8] = [3, 0]
        let checksum = [UInt8](repeating: 1, count: 8)
        let broken = Array(beginnings.joined()) + lastBlock + checksum
        let first = Builder.gzip(Builder.response("1"))
        let last = Builder.gzip(Builder.response("2"))
        for piece in [1, 4_096, .max] {
            let found = Builder.read(first + broken + last, piece: piece)
            #expect(found.items.count == 1 + 9 + 1)
            #expect(found.items.first == Builder.item("1", at: 0))
            #expect(found.items.last == Builder.item("2", at: first.count + broken.count))
        }
    }

    @Test func `a head with a fault costs its member`() {
        let first = Builder.gzip(Builder.response("1"))
        let broken = Builder.gzip(Builder.response("2") + "WARC/1.0\r\n\r\n" + Builder.response("3"))
        let last = Builder.gzip(Builder.response("4"))
        for piece in [1, .max] {
            let found = Builder.read(first + broken + last, piece: piece)
            #expect(
                found.items == [
                    Builder.item("1", at: 0), Builder.item("2", at: first.count),
                    Builder.rejected("a record has no Content-Length", at: first.count, id: nil),
                    Builder.item("4", at: first.count + broken.count),
                ]
            )
            #expect(found.error == nil)
        }
    }

    @Test func `a member that expands to much more than its record is not stored`() {
        let bomb = Builder.gzip(Builder.response("1") + String(repeating: "x", count: 64 << 20))
        let skipped = Builder.gzip(Builder.record("WARC-Type: resource\r\n", String(repeating: "x", count: 64 << 20)))
        let long = Builder.gzip(Builder.response(String(repeating: "x", count: 64 << 20)))
        let found = Builder.read(bomb + skipped + long + Builder.gzip(Builder.response("2")))
        #expect(found.items.count == 3 && found.contents.last == "2" && found.skipped == ["resource": 1])
        #expect(found.items[1].form == .rejected(.tooLong(maxBytes: 1 << 20), id: .text("urn:a")))
        #expect(found.maxBlockBytes <= 1 << 18)
    }

    @Test func `an empty block is that of its record`() {
        let members = (0..<3_000).map { Builder.gzip(Builder.response("", id: "\($0)")) }
        let found = Builder.read(Array(members.joined()), piece: 1_000)
        #expect(found.items.count == 3_000 && found.items.allSatisfy { $0.content.isEmpty } && found.error == nil)
    }

    @Test func `a block ends when the next member would have to wait for more bytes`() throws {
        let first = Builder.gzip(Builder.response("1"))
        var reader = WARCReader(limits: BatchLimits(maxItemBytes: 100))
        var source = PieceSource(first + Builder.gzip(Builder.response("2")), piece: first.count)
        #expect(try reader.next(from: &source)?.items.count == 1)
        #expect(source.readBytes == first.count)
        #expect(try reader.next(from: &source)?.items.count == 1)
        #expect(try reader.next(from: &source) == nil)
    }
}
