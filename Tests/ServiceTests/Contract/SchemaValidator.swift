import Foundation

/// Validates JSON against the schemas of the contract, and supports the parts of JSON Schema that the contract uses. An
/// unknown keyword is an error, so that no part of a schema is ignored.
struct SchemaValidator {
    let contract: Contract

    private static let annotations: Set<String> = [
        "title", "description", "format", "x-extensible-enum", "x-enum-varnames", "pattern", "examples",
    ]

    /// Returns the errors in `value`; empty if it is valid.
    func faults(of value: Any, _ schema: Any?, at path: String = "") -> [String] {
        let schema = contract.resolve(schema)
        var faults: [String] = []
        for (keyword, expected) in schema where !Self.annotations.contains(keyword) {
            switch keyword {
            case "type":
                if !Self.isType(expected as? String ?? "", value) { faults.append("\(path): not of type \(expected)") }
            case "properties":
                for (name, property) in expected as? [String: Any] ?? [:] {
                    if let member = (value as? [String: Any])?[name] {
                        faults += self.faults(of: member, property, at: "\(path)/\(name)")
                    }
                }
            case "required":
                let names = (value as? [String: Any] ?? [:]).keys
                faults += (expected as? [String] ?? []).filter { !names.contains($0) }.map { "\(path): without \($0)" }
            case "additionalProperties":
                let known = (schema["properties"] as? [String: Any] ?? [:]).keys
                for (name, member) in value as? [String: Any] ?? [:] where !known.contains(name) {
                    switch expected {
                    case let isAllowed as Bool: if !isAllowed { faults.append("\(path): unknown member \(name)") }
                    default: faults += self.faults(of: member, expected, at: "\(path)/\(name)")
                    }
                }
            case "items":
                for (index, element) in (value as? [Any] ?? []).enumerated() {
                    faults += self.faults(of: element, expected, at: "\(path)/\(index)")
                }
            case "minItems": if let array = value as? [Any], array.count < expected as? Int ?? 0 { faults.append(path) }
            case "maxItems": if let array = value as? [Any], array.count > expected as? Int ?? 0 { faults.append(path) }
            case "minimum":
                if let number = Self.number(value), number < Self.number(expected) ?? 0 { faults.append(path) }
            case "maximum":
                if let number = Self.number(value), number > Self.number(expected) ?? 0 { faults.append(path) }
            case "exclusiveMinimum":
                if let number = Self.number(value), number <= Self.number(expected) ?? 0 { faults.append(path) }
            case "enum":
                if !(expected as? [String] ?? []).contains(value as? String ?? "") {
                    faults.append("\(path): \(value)")
                }
            case "oneOf":
                let valid = (expected as? [Any] ?? []).filter { self.faults(of: value, $0, at: path).isEmpty }
                if valid.count != 1 { faults.append("\(path): \(valid.count) alternatives are valid") }
            default:
                faults.append("\(path): the validator does not know '\(keyword)'")
            }
        }
        return faults
    }

    /// Returns the JSON text of a value, which shows its type: Foundation uses the same classes for numbers and
    /// Booleans.
    private static func text(_ value: Any) -> String {
        let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Returns `nil` if the value is not a number.
    private static func number(_ value: Any) -> Double? {
        Double(text(value))
    }

    private static func isType(_ type: String, _ value: Any) -> Bool {
        let text = text(value)
        return switch type {
        case "object": text.hasPrefix("{")
        case "array": text.hasPrefix("[")
        case "string": text.hasPrefix("\"")
        case "boolean": text == "true" || text == "false"
        case "integer": Int(text) != nil
        case "number": Double(text) != nil
        default: false
        }
    }
}
