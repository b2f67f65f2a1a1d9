internal import Primitives
internal import Serialization

/// The named fields of a record that matter to a batch.
///
/// Names compare case-insensitively. A line that begins with white space continues the field before it. A line may end
/// with LF alone.
struct WARCFields {
    enum Name: CaseIterable {
        case contentLength
        case contentType
        case recordID
        case segmentNumber
        case targetURI
        case truncated
        case type
    }

    private var values: [Name: String] = [:]

    /// A sentence that describes a fault of the record whose end is known; `nil` if there is none.
    private(set) var fault: String?

    subscript(name: Name) -> String? { values[name] }

    init() {}

    /// Parses the lines of a head.
    init(parsing bytes: Span<UInt8>) throws(WARCHead.Fault) {
        var lineStart = 0
        _ = try read(bytes, lineStart: &lineStart, endsAtFault: false)
    }

    /// Reads the lines of a head.
    /// - Parameters:
    ///   - lineStart: set to the offset of the last field that was read; not changed if the version is not supported.
    ///   - endsAtFault: whether the lines after the first ``fault`` are not read.
    /// - Returns: whether an empty line ends the head.
    mutating func read(
        _ bytes: Span<UInt8>,
        lineStart: inout Int,
        endsAtFault: Bool
    ) throws(WARCHead.Fault) -> Bool {
        var next = 0
        let version = Self.line(bytes, &next)
        guard bytes.extracting(version).isSupportedVersion else {
            let found = bytes.extracting(version).extracting(first: 64).text.excerpt
            throw WARCHead.Fault(sentence: "the version of a record is '\(found)', not 1.0, 1.1, 0.17 or 0.18")
        }
        while next < bytes.count, !endsAtFault || fault == nil {
            lineStart = next
            let line = Self.line(bytes, &next)
            guard !line.isEmpty else { return bytes[next - 1] == 0x0A }
            try read(bytes, line, &next)
        }
        return false
    }

    /// Reads the field that begins with a line.
    private mutating func read(_ bytes: Span<UInt8>, _ line: Range<Int>, _ next: inout Int) throws(WARCHead.Fault) {
        guard let colon = bytes.firstOffset(of: UInt8(ascii: ":"), in: line),
            bytes.isToken(line.lowerBound..<colon)
        else {
            fault = "the head of the record has a line that is not a field"
            return
        }
        guard let name = Name(bytes.extracting(line.lowerBound..<colon)) else {
            while Self.isFolded(bytes, next) { _ = Self.line(bytes, &next) }
            return
        }
        var value: [UInt8] = []
        value.append(bytes, bytes.trimmingBlanks(colon + 1..<line.upperBound))
        while Self.isFolded(bytes, next) {
            value.append(UInt8(ascii: " "))
            value.append(bytes, bytes.trimmingBlanks(Self.line(bytes, &next)))
        }
        guard let text = String(validating: value, as: UTF8.self), value.span.firstForbiddenInField() == nil else {
            fault =
                "the field \(bytes.text(line.lowerBound..<colon)) of the record is not UTF-8 without control characters"
            return
        }
        guard let first = values.updateValue(text, forKey: name), first != text else { return }
        let repeated = "the field \(bytes.text(line.lowerBound..<colon)) of a record has two values"
        guard name != .contentLength else { throw WARCHead.Fault(sentence: repeated) }
        fault = repeated
    }

    /// Returns the line at `next` without its end, and moves behind it.
    private static func line(_ bytes: Span<UInt8>, _ next: inout Int) -> Range<Int> {
        let start = next
        let end = bytes.firstOffset(of: 0x0A, in: start..<bytes.count) ?? bytes.count
        next = min(end + 1, bytes.count)
        return start..<(end > start && bytes[end - 1] == 0x0D ? end - 1 : end)
    }

    /// Returns whether the line at `next` continues a field.
    private static func isFolded(_ bytes: Span<UInt8>, _ next: Int) -> Bool {
        next < bytes.count && bytes[next].isBlank
    }
}

extension WARCFields.Name {
    fileprivate init?(_ name: Span<UInt8>) {
        switch name.count {
        case 9 where name.equals("WARC-Type"): self = .type
        case 12 where name.equals("Content-Type"): self = .contentType
        case 14 where name.equals("Content-Length"): self = .contentLength
        case 14 where name.equals("WARC-Record-ID"): self = .recordID
        case 14 where name.equals("WARC-Truncated"): self = .truncated
        case 15 where name.equals("WARC-Target-URI"): self = .targetURI
        case 19 where name.equals("WARC-Segment-Number"): self = .segmentNumber
        default: return nil
        }
    }
}

extension Span<UInt8> {
    /// The records of the drafts 0.17 and 0.18, of which there are large archives, have the syntax and the fields of
    /// 1.0.
    var isSupportedVersion: Bool {
        equals("WARC/1.0") || equals("WARC/1.1") || equals("WARC/0.17") || equals("WARC/0.18")
    }
}
