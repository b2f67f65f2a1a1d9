import Serialization

/// The properties of the reader of documents for any text: a text that is checked while it is read has the error in the
/// grammar that the validation of the whole text finds, or none, and its strings do not depend on how they are read.
///
/// The first byte of an input selects how the first four strings are read (bits 0–6), and small limits (7).
package struct JSONDocumentOracle {
    package static let headBytes = 1

    private enum Outcome: Equatable {
        case values([[UInt8]])
        /// The text is JSON, and the reader does not accept it.
        case fault
        case error(JSONDocumentError)
    }

    private var json: JSONDocumentReader
    private var choices: UInt8
    private var values: [[UInt8]] = []

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        let bytes = input.dropFirst()
        // A copy of exactly this size: the sanitizer detects a read beyond its end.
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { buffer.deallocate() }
        _ = buffer.initialize(fromContentsOf: bytes)
        let text = buffer.span
        var limits = Limits()
        if first & 0x80 != 0 {
            limits.maxKeyBytes = 5
            limits.maxNestingDepth = 2
            limits.maxNumberBytes = 4
            limits.maxObjectMembers = 2
        }
        let checked = outcome(of: text, limits, choices: first)
        let other = outcome(of: text, limits, choices: 0)
        if checked != other { return "the values depend on how strings are read: \(checked), \(other)" }
        do throws(JSONDocumentError) {
            _ = try JSONDocumentReader(text, limits: limits, errors: .first, memory: .unlimited)
            if case .error(let error) = checked { return "valid text has an error: \(error)" }
        } catch {
            if checked != .error(error) { return "not the error of the whole text, \(error): \(checked)" }
        }
        return nil
    }

    private static func outcome(of text: Span<UInt8>, _ limits: Limits, choices: UInt8) -> Outcome {
        var oracle = JSONDocumentOracle(
            json: JSONDocumentReader(checking: text, limits: limits),
            choices: choices & 0x7F
        )
        do throws(JSONDocumentError) {
            do throws(JSONDocumentFault) {
                try oracle.readValue(in: text, depth: 0)
            } catch {
                try oracle.json.validate(text, memory: .unlimited)
                return .fault
            }
            try oracle.json.finish(text, memory: .unlimited)
            return .values(oracle.values)
        } catch {
            return .error(error)
        }
    }

    private mutating func readValue(in text: Span<UInt8>, depth: Int) throws(JSONDocumentFault) {
        switch json.kind(in: text) {
        case .object where depth < 40:
            try json.enterObject(in: text)
            while let name = try json.nextName(in: text) {
                values.append(Array(name.utf8))
                try readValue(in: text, depth: depth + 1)
            }
        case .array where depth < 40:
            try json.enterArray(in: text)
            while json.nextElement(in: text) { try readValue(in: text, depth: depth + 1) }
        case .string: values.append(try string(in: text))
        case .boolean: values.append([try json.boolean(in: text) ? 1 : 0])
        case .object, .array, .number, .null: values.append(json.skip(in: text).map { text[$0] })
        }
    }

    private mutating func string(in text: Span<UInt8>) throws(JSONDocumentFault) -> [UInt8] {
        defer { choices >>= 2 }
        switch choices & 3 {
        case 1: return Array(try json.string(in: text).utf8)
        case 2:
            switch try json.content(in: text) {
            case .slice(let range): return range.map { text[$0] }
            case .bytes(let bytes): return bytes
            }
        default: return try json.token(in: text).utf8(in: text)
        }
    }
}
