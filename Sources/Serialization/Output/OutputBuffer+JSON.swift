internal import Glibc

extension OutputBuffer {
    /// Appends `range` of `text` as vectors. Up to sixteen bytes beyond the end of the range are read.
    @inline(__always) mutating func append(_ range: Range<Int>, ofPadded text: Span<UInt8>) {
        _ = fill(range.count + 16) { sink in
            sink.put(range, ofPadded: text, at: 0)
            return (range.count, ())
        }
    }

    /// Appends a member's name in quotes and the colon after it.
    @inline(__always) mutating func append(name: StaticString, afterComma: Bool) {
        let length = name.utf8CodeUnitCount
        reserve(length + 4)
        var end = unsafe base + count
        if afterComma {
            unsafe end.pointee = UInt8(ascii: ",")
            unsafe end += 1
        }
        unsafe end[0] = UInt8(ascii: "\"")
        unsafe memcpy(end + 1, name.utf8Start, length)
        unsafe end[length + 1] = UInt8(ascii: "\"")
        unsafe end[length + 2] = UInt8(ascii: ":")
        unsafe count = end - base + length + 3
    }

    /// Appends a number that has `digits` decimal digits.
    mutating func append(decimal number: UInt, digits: Int) {
        reserve(digits)
        var rest = number
        var end = unsafe base + count + digits
        for _ in 0..<digits {
            unsafe end -= 1
            unsafe end.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
    }

    /// Appends the first `length` bytes of `text`, valid UTF-8, as a JSON string.
    @inline(__always) mutating func append(string text: Span<UInt8>, length: Int, afterComma: Bool) {
        unsafe text.withUnsafeBufferPointer { bytes in
            // The bytes are alive for the duration of the call.
            let text = unsafe JSONText(bytes, 0..<length)
            _ = fill(text.maxBytes + 3) { sink in
                var written = 0
                if afterComma {
                    sink.put(UInt8(ascii: ","), at: 0)
                    written = 1
                }
                sink.put(UInt8(ascii: "\""), at: written)
                written = text.write(into: sink, at: written + 1).end
                sink.put(UInt8(ascii: "\""), at: written)
                return (written + 1, ())
            }
        }
    }

    /// Appends the first `length` bytes of `text`, valid UTF-8, as a piece of a JSON string.
    package mutating func append(escaping text: Span<UInt8>, length: Int) {
        _ = append(escaping: text, length: length, unescaping: nil)
    }

    /// Appends the first `length` bytes of `text`, valid UTF-8, as a piece of a JSON string.
    /// - Parameter escape: How quotes are escaped in the text, if it is that of a field of CSV.
    /// - Returns: The number of bytes that were read: one more than `length` if an escape begins with the last one.
    mutating func append(escaping text: Span<UInt8>, length: Int, unescaping escape: CSVEscape?) -> Int {
        unsafe text.withUnsafeBufferPointer { bytes in
            // The bytes are alive for the duration of the call.
            let text = unsafe JSONText(bytes, 0..<length, unescaping: escape)
            return fill(text.maxBytes) { sink in
                let (read, end) = text.write(into: sink, at: 0)
                return (end, read)
            }.1
        }
    }

    /// Lets `body` write up to `room` bytes at the end of the buffer. `body` returns the number of bytes written.
    @inline(__always) mutating func fill<Result, Failure: Error>(
        _ room: Int,
        _ body: (JSONSink) throws(Failure) -> (bytes: Int, Result)
    ) throws(Failure) -> (bytes: Int, Result) {
        reserve(room)
        // The storage cannot move while `body` runs, because nothing else has access to it.
        let filled = try unsafe body(JSONSink(base + count, capacity: room))
        precondition(0...room ~= filled.bytes, "at most as many bytes were written as reserved")
        count += filled.bytes
        return filled
    }
}

extension JSONSink {
    /// Copies `range` of `text` as vectors. Up to sixteen bytes beyond the end of the range are read and written.
    @inline(__always) func put(_ range: Range<Int>, ofPadded text: Span<UInt8>, at offset: Int) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= text.count - 16,
            "sixteen bytes can be read beyond the range"
        )
        unsafe text.withUnsafeBufferPointer { bytes in
            // The bytes are alive for the duration of the call.
            let source = unsafe JSONSource(bytes)
            var done = 0
            repeat {
                put(source.vector(at: range.lowerBound &+ done), at: offset &+ done)
                done &+= 16
            } while done < range.count
        }
    }

    /// Writes a member whose value is a string: `name` of `names`, as ``put(_:ofPadded:at:)`` does, and `range` of
    /// `text`, valid UTF-8.
    /// - Returns: The end offset; `nil` if there may be too little capacity.
    @inline(__always) func put(
        _ name: Range<Int>,
        ofPadded names: Span<UInt8>,
        string text: Span<UInt8>,
        _ range: Range<Int>,
        at offset: Int
    ) -> Int? {
        unsafe text.withUnsafeBufferPointer { bytes in
            // The bytes are alive for the duration of the call.
            let text = unsafe JSONText(bytes, range)
            guard offset &+ name.count &+ 2 &+ text.maxBytes <= capacity else { return nil }
            put(name, ofPadded: names, at: offset)
            let start = offset &+ name.count
            put(UInt8(ascii: "\""), at: start)
            let end = text.write(into: self, at: start &+ 1).end
            put(UInt8(ascii: "\""), at: end)
            return end &+ 1
        }
    }
}
