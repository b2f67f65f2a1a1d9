import Foundation
import Testing

@testable import Service

@Suite struct BatchFramesTests {
    /// The input of one item.
    private struct Item {
        var id: UInt64
        var status: UInt16 = 200
        var url = ""
        var fields = ""
        var content: Data?

        var frame: Data {
            var rest = Data()
            rest.append(littleEndian: id)
            rest.append(littleEndian: status)
            rest.append(contentsOf: [content == nil ? 0 : 1, 0])
            rest.append(littleEndian: UInt32(url.utf8.count))
            rest.append(littleEndian: UInt32(fields.utf8.count))
            rest.append(Data((url + fields).utf8) + (content ?? Data()))
            var frame = Data()
            frame.append(littleEndian: UInt32(rest.count))
            return frame + rest
        }
    }

    private struct Result: Equatable {
        var id: UInt64
        var isProblem: Bool
        var code: String
        var json: String
    }

    private func result(_ process: StreamProcess) throws -> Result {
        let count = try process.bytes(4).littleEndian(0, 4)
        let bytes = try process.bytes(Int(count))
        let codeBytes = Int(bytes[9])
        return Result(
            id: bytes.littleEndian(0, 8),
            isProblem: bytes[8] == 1,
            code: String(decoding: bytes[10..<10 + codeBytes], as: UTF8.self),
            json: String(decoding: bytes[(10 + codeBytes)...], as: UTF8.self)
        )
    }

    @Test func `the result of each frame is written as soon as no further input is available`() throws {
        let process = try StreamProcess("batch", "--format", "frames", "--jobs", "1", "--view", "value")
        let json = Item(id: 7, fields: "Content-Type: application/json\r\n", content: Data("{\"a\": 1}".utf8)).frame
        process.send(json.prefix(10))
        process.send(json.dropFirst(10))
        #expect(try result(process) == Result(id: 7, isProblem: false, code: "", json: #"{"a":1}"#))
        process.send(Item(id: .max, status: 204).frame)
        #expect(try result(process) == Result(id: .max, isProblem: false, code: "", json: "null"))
        process.send(Item(id: 1, fields: "Content-Type: application/json\n", content: Data("{".utf8)).frame)
        let rejected = try result(process)
        #expect(rejected.id == 1 && rejected.isProblem)
        #expect(rejected.code == "json.unexpected_end")
        #expect(rejected.json.hasPrefix(#"{"type":"/problems/json.unexpected_end","#))
        process.closeInput()
        #expect(process.rest() == "")
        #expect(process.finish() == 1)
        #expect(process.errors == "")
    }

    @Test func `a frame describes status, URL and header fields`() throws {
        let process = try StreamProcess("batch", "--format", "frames")
        let fields = "Content-Type: application/json\r\nX-A:  b \nETag: \"1\"\n"
        process.send(
            Item(id: 1, status: 201, url: "http://a.example/é", fields: fields, content: Data("[]".utf8)).frame
        )
        let json = try result(process).json
        #expect(json.contains(#""upstream":{"status":201,"url":"http://a.example/é","mediaType":"application/json""#))
        #expect(json.contains(#""headers":[["content-type","application/json"],["x-a","b"],["etag","\"1\""]]"#))
        process.send(Item(id: 2, status: 0, content: Data("[]".utf8)).frame)
        #expect(try result(process).json.contains(#""upstream":{"status":200,"statusAssumed":true,"charset":"#))
    }

    @Test(arguments: [
        (99, "", "", "the status is 99, not a number from 100 to 999, at byte 12"),
        (200, "a\u{1}", "", "the URL is not UTF-8, or contains a control character, at byte 24"),
        (200, "a", "A: b\nC d\n", "the field line has no colon, at byte 30"),
        (200, "a", "A: b\r\n C: d\n", "the field line is folded: it begins with white space, at byte 31"),
        (200, "", "A : b\n", "white space precedes the colon of the field A, at byte 25"),
        (200, "", "A(: b\n", "the name of the field is not a token: it contains '(', at byte 25"),
        (200, "a", "A: b", "the last header field has no line end, at byte 25"),
        (200, "", "\r\n", "a line of the header fields is empty, at byte 24"),
        (200, "", "A: b\u{0}\n", "the value of the field A contains the control character 0x0, at byte 28"),
    ])
    func `a head that is not valid rejects its item alone`(status: UInt16, url: String, fields: String, reason: String)
        throws
    {
        let process = try StreamProcess("batch", "--format", "frames", "--jobs", "1")
        // The second item shows that offsets count in the frame.
        process.send(Item(id: 1, status: 204).frame + Item(id: 2, status: status, url: url, fields: fields).frame)
        process.send(Item(id: 3, status: 204).frame)
        #expect(try result(process).id == 1)
        let rejected = try result(process)
        #expect(rejected.id == 2)
        #expect(rejected.code == "batch.invalid_item")
        #expect(rejected.json.contains("\"detail\":\"the item: \(reason)\""))
        #expect(try result(process).id == 3)
    }

    @Test func `header fields of 64 KiB are read, and longer ones are rejected`() throws {
        let process = try StreamProcess("batch", "--format", "frames", "--upstream-headers", "none")
        let line = "a: 1234\n"
        let fields = String(repeating: line, count: (64 << 10) / line.utf8.count)
        process.send(Item(id: 1, status: 204, fields: fields).frame)
        #expect(try !result(process).isProblem)
        process.send(Item(id: 2, status: 204, fields: fields + line).frame)
        #expect(try result(process).code == "batch.invalid_item")
    }

    @Test func `a malformed stream ends with 2 and a message, after the results of the frames before`() throws {
        let process = try StreamProcess("batch", "--format", "frames")
        process.send(Item(id: 1, status: 204).frame + Data([1, 0, 0, 0, 9]))
        process.closeInput()
        #expect(try result(process).id == 1)
        #expect(process.rest() == "")
        #expect(process.finish() == 2)
        #expect(process.errors.hasPrefix("Error: standard input: "))
    }

    @Test func `the end of the input inside of a frame ends with 2`() throws {
        let process = try StreamProcess("batch", "--format", "frames")
        process.send(Item(id: 1, status: 204).frame.dropLast(1))
        process.closeInput()
        #expect(process.rest() == "")
        #expect(process.finish() == 2)
        #expect(process.errors.hasPrefix("Error: standard input: the input ends in a frame"))
    }
}

extension Data {
    fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension [UInt8] {
    fileprivate func littleEndian(_ start: Int, _ count: Int) -> UInt64 {
        self[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
