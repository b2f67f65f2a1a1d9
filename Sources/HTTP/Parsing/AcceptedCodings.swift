internal import Primitives

/// The field `Accept-Encoding` (RFC 9110 §12.5.3): the weights of gzip and of content without a coding.
///
/// Fields are read byte by byte, without allocating memory. An element that is malformed is ignored.
struct AcceptedCodings: Equatable, Sendable {
    /// The weight of gzip or x-gzip, in thousandths; `nil` if neither is listed.
    private(set) var gzip: Int?
    private(set) var identity: Int?
    /// The weight of all codings that are not listed.
    private(set) var others: Int?

    /// Whether content is sent with gzip. Without `Accept-Encoding` it is not: RFC 9110 allows it, but old clients do
    /// not expect it.
    var prefersGzip: Bool {
        let weight = gzip ?? others ?? 0
        return weight > 0 && weight >= identity ?? 0
    }

    /// Whether content without a coding is not acceptable.
    var rejectsIdentity: Bool { identity ?? others == 0 }

    /// Adds the elements of one field.
    mutating func add(_ field: Span<UInt8>) {
        var start = 0
        for end in 0...field.count where end == field.count || field[end] == UInt8(ascii: ",") {
            add(element: field, start..<end)
            start = end + 1
        }
    }

    private mutating func add(element field: Span<UInt8>, _ range: Range<Int>) {
        let nameEnd = Self.end(of: range.lowerBound, in: field, range)
        let name = field.extracting(field.trimmingBlanks(range.lowerBound..<nameEnd))
        var weight = 1_000
        var start = nameEnd + 1
        while start < range.upperBound {
            let end = Self.end(of: start, in: field, range)
            let parameter = field.extracting(field.trimmingBlanks(start..<end))
            if parameter.count >= 2, parameter[0] | 0x20 == UInt8(ascii: "q"), parameter[1] == UInt8(ascii: "=") {
                guard let value = Self.weight(parameter.extracting(2..<parameter.count)) else { return }
                weight = value
            }
            start = end + 1
        }
        guard name.count > 0 else { return }
        if name.equals("gzip") || name.equals("x-gzip") {
            gzip = max(gzip ?? 0, weight)
        } else if name.equals("identity") {
            identity = max(identity ?? 0, weight)
        } else if name.count == 1, name[0] == UInt8(ascii: "*") {
            others = max(others ?? 0, weight)
        }
    }

    /// The offset of the next semicolon, or the end of the element.
    private static func end(of start: Int, in field: Span<UInt8>, _ range: Range<Int>) -> Int {
        var end = start
        while end < range.upperBound, field[end] != UInt8(ascii: ";") { end += 1 }
        return end
    }

    /// Reads a weight (RFC 9110 §12.4.2) in thousandths. It may begin with the decimal point.
    private static func weight(_ text: Span<UInt8>) -> Int? {
        guard 1...5 ~= text.count else { return nil }
        var value = 0
        var decimals: Int?
        for index in text.indices {
            if text[index] == UInt8(ascii: "."), decimals == nil {
                decimals = 0
                continue
            }
            guard text[index].isDecimalDigit else { return nil }
            value = value * 10 + Int(text[index] - 0x30)
            decimals = decimals.map { $0 + 1 }
        }
        for _ in 0..<max(0, 3 - (decimals ?? 0)) { value *= 10 }
        guard decimals ?? 0 <= 3, value <= 1_000 else { return nil }
        return value
    }
}
