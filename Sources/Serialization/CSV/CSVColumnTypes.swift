/// The types that the fields of each column could have.
///
/// A column has a type if every field has it. An empty field has none, unless it is null.
struct CSVColumnTypes {
    /// A set of the types that all fields of a column have so far.
    private struct Types: OptionSet {
        let rawValue: UInt8
        static let integer = Types(rawValue: 1)
        static let decimal = Types(rawValue: 2)
        static let boolean = Types(rawValue: 4)
        static let date = Types(rawValue: 8)
        /// The column has fields.
        static let hasFields = Types(rawValue: 16)
        static let all: Types = [.integer, .decimal, .boolean, .date]
    }

    private var columns: [Types] = []

    /// Notes a field.
    /// - Returns: `false` if there is no memory.
    mutating func note(_ field: CSVField, _ text: Span<UInt8>, column: Int, _ memory: inout MemoryBudget) -> Bool {
        if column >= columns.count {
            guard memory.reserve(&columns, column + 1 - columns.count) else { return false }
            while columns.count <= column { columns.append(.all) }
        }
        let types = columns[column]
        guard !types.isDisjoint(with: .all) else { return true }
        columns[column] = types.intersection(Self.types(of: field, text)).union(.hasFields)
        return true
    }

    private static func types(of field: CSVField, _ text: Span<UInt8>) -> Types {
        guard !field.hasEscapes, !field.isEmpty else { return [] }
        return text.slice(field.start..<field.end) { text in
            var types: Types = []
            if let isInteger = text.isIntegerOrDecimal { types = isInteger ? [.integer, .decimal] : .decimal }
            if text.equals("true") || text.equals("false") { types.insert(.boolean) }
            if text.isDate { types.insert(.date) }
            return types
        } ?? []
    }

    /// Writes the hints for the columns that have a type.
    /// - Parameter enter: Enters the member or element of a column.
    func write(into hints: inout TypeHints, _ enter: (Int, inout TypeHints) -> Void) {
        // Each element of the array has the members.
        hints.enter("*")
        for (index, types) in columns.enumerated() where types.contains(.hasFields) && !hints.isOverLimit {
            let name: StaticString
            if types.contains(.integer) {
                name = "integer"
            } else if types.contains(.decimal) {
                name = "decimal"
            } else if types.contains(.boolean) {
                name = "boolean"
            } else if types.contains(.date) {
                name = "date"
            } else {
                continue
            }
            enter(index, &hints)
            hints.note(name)
            hints.leave()
        }
        hints.leave()
    }
}

extension Span<UInt8> {
    /// Whether the text is a JSON number that is an integer (`true`), or has a fraction or an exponent (`false`); `nil`
    /// if it is not a JSON number (RFC 8259 §6): `007` and `+1` are often identifiers.
    fileprivate var isIntegerOrDecimal: Bool? {
        var index = self[0] == UInt8(ascii: "-") ? 1 : 0
        guard index < count, self[index].isDecimalDigit else { return nil }
        if self[index] == UInt8(ascii: "0") { index += 1 } else { skipDigits(&index) }
        var isInteger = true
        if index < count, self[index] == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            guard skipDigits(&index) > 0 else { return nil }
        }
        if index < count, self[index] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            if index < count, self[index] == UInt8(ascii: "+") || self[index] == UInt8(ascii: "-") { index += 1 }
            guard skipDigits(&index) > 0 else { return nil }
        }
        return index == count ? isInteger : nil
    }

    @discardableResult private func skipDigits(_ index: inout Int) -> Int {
        let start = index
        while index < count, self[index].isDecimalDigit { index += 1 }
        return index - start
    }

    /// Whether the text is a date, or a date and a time, of RFC 3339 §5.6. A space may replace the `T`, and the offset
    /// from UTC may be missing.
    fileprivate var isDate: Bool {
        guard count >= 10, let year = digits(0, 4), self[4] == UInt8(ascii: "-"), let month = digits(5, 2),
            self[7] == UInt8(ascii: "-"), let day = digits(8, 2), 1...12 ~= month,
            1...Self.days(of: month, year) ~= day
        else { return false }
        guard count > 10 else { return true }
        guard count >= 19, self[10] | 0x20 == UInt8(ascii: "t") || self[10] == 0x20, let hour = digits(11, 2),
            self[13] == UInt8(ascii: ":"), let minute = digits(14, 2), self[16] == UInt8(ascii: ":"),
            let second = digits(17, 2), hour < 24, minute < 60, second <= 60
        else { return false }
        var index = 19
        if index < count, self[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits(&index) > 0 else { return false }
        }
        guard index < count else { return true }
        if self[index] | 0x20 == UInt8(ascii: "z") { return index + 1 == count }
        guard self[index] == UInt8(ascii: "+") || self[index] == UInt8(ascii: "-"), count == index + 6,
            let hours = digits(index + 1, 2), self[index + 3] == UInt8(ascii: ":"), let minutes = digits(index + 4, 2)
        else { return false }
        return hours < 24 && minutes < 60
    }

    private static func days(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of exactly `length` digits.
    private func digits(_ start: Int, _ length: Int) -> Int? {
        guard start + length <= count else { return nil }
        var number = 0
        for index in start..<start + length {
            guard self[index].isDecimalDigit else { return nil }
            number = number * 10 + Int(self[index] - UInt8(ascii: "0"))
        }
        return number
    }
}
