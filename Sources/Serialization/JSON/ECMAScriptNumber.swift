/// Numbers as ECMAScript writes them (ECMA-262 §6.1.6.1.20, which RFC 8785 §3.2.2.3 takes over).
///
/// Worked example: `1.50e+3` is the double 1500, whose shortest digits that read back as it are `15`, with the point
/// after four of them: `1500`. Up to 21 digits before the point are written out, and up to six zeros after it; beyond,
/// there is an exponent: `1e+21`, `1e-7`.
enum ECMAScriptNumber {
    /// The canonical text of a JSON number; nil where no double comes near it (`1e400`).
    static func text(of number: String) -> String? {
        guard let value = Double(number), value.isFinite else { return nil }
        if value == 0 { return "0" }
        let (digits, point) = shortestDigits(of: value.magnitude)
        return (value < 0 ? "-" : "") + text(digits, point)
    }

    /// The shortest decimal digits that read back as `value`, and how many of them stand before the point.
    ///
    /// Swift's `description` has these digits (SE-0055 and SwiftDtoa), in a form of its own: `12.5`, `1e-07`, `1.5e+300`.
    private static func shortestDigits(of value: Double) -> (digits: [UInt8], point: Int) {
        let parts = value.description.utf8.split(separator: UInt8(ascii: "e"))
        let exponent = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? 0 : 0
        let halves = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var digits = Array(halves[0]) + (halves.count > 1 ? Array(halves[1]) : [])
        var point = halves[0].count + exponent
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(leading)
        point -= leading
        return (digits, point)
    }

    private static func text(_ digits: [UInt8], _ point: Int) -> String {
        func string(_ digits: some Sequence<UInt8>) -> String { String(decoding: Array(digits), as: UTF8.self) }
        func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

        switch point {
        case digits.count...21:
            return string(digits) + zeros(point - digits.count)
        case 1...21:
            return string(digits.prefix(point)) + "." + string(digits.dropFirst(point))
        case -5...0:
            return "0." + zeros(-point) + string(digits)
        default:
            let fraction = digits.count > 1 ? "." + string(digits.dropFirst()) : ""
            let exponent = point - 1
            return string(digits.prefix(1)) + fraction + "e" + (exponent < 0 ? "-" : "+") + String(abs(exponent))
        }
    }
}
