import Glibc

/// Reads requests from a socket.
struct Receiver {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    /// The range of `buffer` that was received and not read yet.
    private var unread = 0..<0

    private static let maxHeadBytes = 4 << 20

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads the head of a request.
    mutating func readHead() throws(Connection.Ended) -> RequestHead {
        var searched = 0
        while true {
            if let end = endOfHead(from: unread.lowerBound + searched) {
                guard let head = RequestHead(parsing: buffer[unread.lowerBound..<end]) else {
                    throw .byOrigin(isReset: false)
                }
                unread = end..<unread.upperBound
                return head
            }
            searched = max(0, unread.count - 3)
            guard unread.count < Self.maxHeadBytes else { throw .byOrigin(isReset: false) }
            try receive()
        }
    }

    /// Returns the offset after the empty line.
    private func endOfHead(from start: Int) -> Int? {
        let end = unread.upperBound
        return buffer.withUnsafeBufferPointer { bytes in
            var offset = start
            while offset + 3 < end {
                if bytes[offset + 3] == 10, bytes[offset + 2] == 13, bytes[offset + 1] == 10, bytes[offset] == 13 {
                    return offset + 4
                }
                offset += 1
            }
            return nil
        }
    }

    /// Reads `count` bytes.
    mutating func read(_ count: Int) throws(Connection.Ended) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < count {
            if unread.isEmpty { try receive() }
            let piece = unread.prefix(count - content.count)
            content += buffer[piece]
            unread = piece.endIndex..<unread.upperBound
        }
        return content
    }

    /// Reads chunks up to and including the trailer section (RFC 9112 §7.1).
    mutating func readChunks() throws(Connection.Ended) -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let line = try readLine().prefix { $0 != UInt8(ascii: ";") }
            guard let count = Int(String(decoding: line, as: UTF8.self), radix: 16), count >= 0 else {
                throw .byOrigin(isReset: false)
            }
            if count == 0 { break }
            content += try read(count)
            _ = try readLine()
        }
        while try !readLine().isEmpty {}
        return content
    }

    private mutating func readLine() throws(Connection.Ended) -> [UInt8] {
        var line: [UInt8] = []
        while !line.suffix(2).elementsEqual([13, 10]) { line += try read(1) }
        return Array(line.dropLast(2))
    }

    private mutating func receive() throws(Connection.Ended) {
        if unread.isEmpty {
            unread = 0..<0
        } else if unread.upperBound == buffer.count {
            if unread.lowerBound == 0 { buffer += [UInt8](repeating: 0, count: buffer.count) }
            let count = unread.count
            for offset in 0..<count where unread.lowerBound > 0 { buffer[offset] = buffer[unread.lowerBound + offset] }
            unread = 0..<count
        }
        let start = unread.upperBound
        let descriptor = descriptor
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                recv(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start, 0)
            }
            if count > 0 {
                unread = unread.lowerBound..<(start + count)
                return
            }
            if count == 0 { throw .closedByPeer }
            if errno != EINTR { throw .resetByPeer }
        }
    }
}
