/// One execution of a script: sends the response to one request.
struct ScriptRun {
    let script: Script
    let request: Request
    /// The number of requests for the target until now, including this one.
    let count: Int
    let connection: Connection

    private typealias Ended = Connection.Ended

    /// The size of the pieces in which large content is sent, in bytes.
    private static let pieceBytes = 64 * 1024

    func run() throws(Connection.Ended) {
        if let name = script.rawName {
            // A name that is not registered closes the connection without a response.
            try sendRaw(connection.engine.raw(name) ?? [])
        }
        if let raw = script.raw { try sendRaw(raw) }
        if let bytes = script.bytes { return try connection.send(bytes) }
        for wait in script.waitsBeforeHead { try connection.wait(wait) }
        try fail(at: .beforeHead)
        if let interim = script.interim { try sendInterim(interim.status, interim.count) }

        let content = Content(script.content, request, count)
        let hasContent = request.method != "HEAD" && script.status >= 200 && ![204, 304].contains(script.status)
        let head = head(content)
        if script.failure?.stage == .inHead {
            try connection.send(head.prefix(head.count / 2))
            try fail(at: .inHead)
        }
        if isOnePiece, content.count <= Self.pieceBytes {
            try connection.send(hasContent ? head + content.piece(from: 0, atMost: content.count) : head)
            return
        }
        try send(head, script.headDrip)
        for wait in script.waitsBeforeContent { try connection.wait(wait) }
        if hasContent { try send(content) } else { try fail(at: .inContent) }
        try fail(at: .afterContent)
        if script.framing == .close { throw .byOrigin(isReset: false) }
    }

    /// Whether the head and the content can be sent with one system call.
    private var isOnePiece: Bool {
        script.framing == .length && script.failure == nil && script.headDrip == nil && script.contentDrip == nil
            && script.waitsBeforeContent.isEmpty
    }

    private func fail(at stage: Script.Stage) throws(Connection.Ended) {
        switch script.failure {
        case .reset(stage): throw .byOrigin(isReset: true)
        case .end(stage): throw .byOrigin(isReset: false)
        case .reset, .end, nil: break
        }
    }

    private func sendRaw(_ bytes: [UInt8]) throws(Connection.Ended) {
        for wait in script.waitsBeforeHead { try connection.wait(wait) }
        try send(bytes, script.contentDrip)
        throw .byOrigin(isReset: false)
    }

    private func sendInterim(_ status: Int, _ count: Int) throws(Connection.Ended) {
        let head = Array("HTTP/1.1 \(status) Interim\r\nx-interim: 1\r\n\r\n".utf8)
        var sent = 0
        while count == 0 || sent < count {
            try connection.send(head)
            sent += 1
        }
    }

    // MARK: Head

    private func head(_ content: Content) -> [UInt8] {
        var lines = ["\(script.version) \(script.status) \(Self.reason(script.status))"]
        if let type = content.type, !script.fieldLines.contains(where: { $0.lowercased().hasPrefix("content-type:") }) {
            lines.append("Content-Type: \(type)")
        }
        lines += script.fieldLines
        switch script.framing {
        case .length:
            if let length = script.statedLength {
                lines.append("Content-Length: \(length)")
            } else if script.status >= 200, script.status != 204, script.status != 304 || content.count > 0 {
                lines.append("Content-Length: \(content.count)")
            }
        case .chunks: lines.append("Transfer-Encoding: chunked")
        case .close: break
        }
        if script.closes || script.framing == .close { lines.append("Connection: close") }
        var head = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        for number in 0..<script.extraFields { head += Array("x-\(number): \(number)\r\n".utf8) }
        if script.longFieldBytes > 0 {
            head +=
                Array("x-long: ".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: script.longFieldBytes) + [13, 10]
        }
        return head + [13, 10]
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 404: "Not Found"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Scripted"
        }
    }

    // MARK: Content

    private func send(_ bytes: [UInt8], _ drip: Script.Drip?) throws(Connection.Ended) {
        guard let drip else { return try connection.send(bytes) }
        var offset = 0
        while offset < bytes.count {
            if offset > 0 { try connection.wait(.delay(milliseconds: drip.milliseconds)) }
            let piece = bytes[offset...].prefix(drip.bytes)
            try connection.send(piece)
            offset = piece.endIndex
        }
    }

    private func send(_ content: Content) throws(Connection.Ended) {
        let end = script.failure?.stage == .inContent ? content.count / 2 : content.count
        var chunkBytes: Int?
        if case .chunks(let bytes) = script.framing { chunkBytes = bytes }
        var offset = 0
        while offset < end {
            if offset > 0, let drip = script.contentDrip {
                try connection.wait(.delay(milliseconds: drip.milliseconds))
            }
            let size = min(end - offset, chunkBytes ?? Self.pieceBytes, script.contentDrip?.bytes ?? .max)
            if chunkBytes != nil {
                try connection.send(chunk(content, offset, size))
                offset += size
            } else {
                let piece = content.piece(from: offset, atMost: size)
                try connection.send(piece)
                offset += piece.count
            }
        }
        try fail(at: .inContent)
        if chunkBytes != nil { try connection.send(Array("0\r\n\r\n".utf8)) }
    }

    private func chunk(_ content: Content, _ start: Int, _ size: Int) -> [UInt8] {
        var chunk = Array((String(size, radix: 16) + "\r\n").utf8)
        var offset = start
        while offset < start + size {
            let piece = content.piece(from: offset, atMost: start + size - offset)
            chunk += piece
            offset += piece.count
        }
        return chunk + [13, 10]
    }

    /// The content of a response, which is produced piece by piece if it is large.
    private struct Content {
        let count: Int
        let type: String?
        /// The bytes; `nil` for the pattern.
        private let bytes: [UInt8]?

        init(_ content: Script.Content, _ request: Request, _ count: Int) {
            switch content {
            case .none: (bytes, type) = ([], nil)
            case .pattern(let count):
                (self.count, bytes, type) = (count, nil, "application/octet-stream")
                return
            case .json(let count): (bytes, type) = (Script.json(count), "application/json")
            case .bytes(let content): (bytes, type) = (content, nil)
            case .count: (bytes, type) = (Array("{\"count\":\(count)}".utf8), "application/json")
            case .echo: (bytes, type) = (request.head + request.content, "text/plain")
            }
            self.count = bytes?.count ?? 0
        }

        /// Returns at least 1 of the remaining bytes.
        func piece(from offset: Int, atMost count: Int) -> ArraySlice<UInt8> {
            bytes.map { $0[offset...].prefix(count) } ?? Script.patternPiece(from: offset, atMost: count)
        }
    }
}
