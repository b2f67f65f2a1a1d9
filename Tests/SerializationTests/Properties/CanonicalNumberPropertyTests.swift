import FuzzOracles
import Serialization
import Testing

/// Compares the numbers of RFC 8785 with Swift's description of the same double.
@Suite struct CanonicalNumberPropertyTests {
    @Test(arguments: Array(UInt64(1)...8))
    func `a number's canonical text is the shortest that reads back as its double`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        for _ in 0..<100 {
            let number = number(&random)
            let value = try #require(Double(number))
            let canonical = try read(number) { $0.isCanonical = true }.text
            #expect(Double(canonical) == value, "\(number)")
            #expect(digits(of: canonical) == digits(of: value.description), "\(number)")
            // ECMA-262 §6.1.6.1.20: there is an exponent from 1e21 and below 1e-6, and nowhere else.
            let hasExponent = value != 0 && (value.magnitude >= 1e21 || value.magnitude < 1e-6)
            #expect(canonical.contains("e") == hasExponent, "\(number)")
            #expect(!canonical.hasPrefix("-0") || canonical.hasPrefix("-0."), "\(number)")
        }
    }

    private func number(_ random: inout RandomSource) -> String {
        var text = random.oneIn(3) ? "-" : ""
        func digits(_ count: Int) -> String { (0..<count).map { _ in String(random.below(10)) }.joined() }
        func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
        text += random.oneIn(3) ? "0" : String(1 + random.below(9)) + digits(random.below(20))
        if random.oneIn(2) {
            text += "." + zeros(random.pick([0, 0, 1, 4, 5, 6, 7])) + digits(1 + random.below(18))
            text += zeros(random.below(3))
        }
        if random.oneIn(4) { text += random.pick(["e", "E-", "e+"]) + String(random.below(30)) }
        return text
    }

    /// Returns the digits without sign, point, exponent, and leading or trailing zeros.
    private func digits(of number: String) -> Substring {
        let digits = number.prefix { $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }
        return digits.prefix(digits.count - digits.reversed().prefix { $0 == "0" }.count)
    }
}
