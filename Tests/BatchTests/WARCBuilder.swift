import Batch
import Encoders

/// Text of records of a web archive.
enum WARCBuilder {
    /// Returns a record with an identifier and further fields, each of which ends with CR LF.
    static func record(_ fields: String, _ block: String, version: String = "1.0", id: String = "a") -> String {
        let head = "WARC/\(version)\r\nWARC-Record-ID: <urn:\(id)>\r\nContent-Length: \(block.utf8.count)\r\n"
        return head + "\(fields)\r\n\(block)\r\n\r\n"
    }

    static func response(_ block: String, id: String = "a", uri: String = "http://a/", _ fields: String = "") -> String
    {
        record("WARC-Type: response\r\nWARC-Target-URI: \(uri)\r\n\(fields)", block, id: id)
    }

    static func request(_ block: String = "GET / HTTP/1.1\r\n\r\n") -> String {
        record("WARC-Type: request\r\nWARC-Target-URI: http://a/\r\n", block)
    }

    static func gzip(_ text: String) -> [UInt8] { Encoder.gzip.encode(Array(text.utf8)) }

    /// Returns the item of a response.
    static func item(
        _ block: String,
        at byte: Int,
        id: String? = "urn:a",
        uri: String = "http://a/",
        isTruncated: Bool = false
    ) -> ReadItems.Item {
        let record = WARCRecord(id: id, targetURI: uri, isTruncated: isTruncated)
        return ReadItems.Item(byte: byte, content: block, form: .message(record))
    }

    static func rejected(_ sentence: String, at byte: Int, id: String? = "urn:a") -> ReadItems.Item {
        let error = BatchItemError.malformed(BatchFault(sentence, at: byte))
        return ReadItems.Item(byte: byte, content: "", form: .rejected(error, id: id.map { .text($0) }))
    }

    static func read(
        _ bytes: [UInt8],
        max: Int = 1 << 20,
        piece: Int = .max,
        isLengthKnown: Bool = false
    ) -> ReadItems {
        let reader = WARCReader(limits: BatchLimits(maxItemBytes: max))
        return ReadItems(reader, bytes, piece: piece, isLengthKnown: isLengthKnown)
    }

    static func read(_ text: String, max: Int = 1 << 20, piece: Int = .max) -> ReadItems {
        read(Array(text.utf8), max: max, piece: piece)
    }
}
