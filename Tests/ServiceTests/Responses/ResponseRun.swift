import Foundation
import Primitives

@testable import HTTP
@testable import Service

/// Sends the rows of a table to the application, in the process and by the same steps as a connection, and applies the
/// change that a problem proposes as a client would that does not know its meaning.
struct ResponseRun {
    /// Whether values are written as digests only.
    var hidesValues = false

    private let application = DecantApplication(readiness: Readiness(.ready))

    init(hidesValues: Bool = false) {
        self.hidesValues = hidesValues
    }

    /// Returns the line of the row: its columns, with the outcome and the hint.
    func line(of row: ResponseRow) throws -> String {
        [row.request, row.content, try columns(of: row)].joined(separator: ResponseRow.separator)
            .trimmingCharacters(in: .whitespaces)
    }

    /// Returns the outcome, the hint if there is one, and what it leads to.
    func columns(of row: ResponseRow, content: [UInt8]? = nil) throws -> String {
        let content = content ?? ResponseContentNotation.bytes(of: row.content)
        let response = try send(row.target, row.fields, content)
        let outcome = outcome(of: response)
        guard let problem = Problem(response) else { return outcome }
        if let change = problem.change {
            let changed = try send(change.applied(to: row.target), row.fields, content)
            return "\(outcome) | \(change): \(self.outcome(of: changed))"
        }
        return problem.hint.map { "\(outcome) | '\($0)'" } ?? outcome
    }

    func send(_ target: String, _ fields: [(String, String)], _ content: [UInt8]) throws -> LocalExchange {
        try LocalExchange("POST", target, fields: fields, content: content, to: application)
    }

    // MARK: Outcomes

    private func outcome(of response: LocalExchange) -> String {
        let members = JSONMembers(of: response.content)
        let outcome: String
        if let problem = Problem(response) {
            outcome = problem.outcome
        } else if let name = members["outcome"] {
            let serializer = members["serializer"]?.unquoted ?? ""
            let nulls = members["nullsDropped"].map { " nulls=\($0)" } ?? ""
            let omitted = members["omitted"].map { " omitted=\($0)" } ?? ""
            let value = members["value"] ?? ""
            outcome = serializer + " " + (name == #""empty""# ? "empty" : shortened(value)) + nulls + omitted
        } else {
            outcome = "\(response.status) \(shortened(response.content))"
        }
        let warnings = members["warnings"].map { ResponseWarnings(json: $0).text } ?? ""
        return outcome + (warnings.isEmpty ? "" : " ! " + warnings)
    }

    /// Returns short text as it is, with the escapes of the notation, and longer text as its digest.
    private func shortened(_ value: String) -> String {
        let bytes = Array(value.utf8)
        guard bytes.count > 100 || hidesValues || value.contains(ResponseRow.separator) else { return value }
        let digest = SHA256.digest(of: bytes.span).prefix(6).map { String(format: "%02x", $0) }.joined()
        return "\(bytes.count) bytes #\(digest)"
    }
}

extension ResponseRun {
    /// A problem, as far as a client reads it.
    struct Problem {
        let code: String
        let cause: String
        let hint: String?
        let change: ProposedChange?
        let outcome: String

        /// - Returns: `nil` if the response is not a problem.
        init?(_ response: LocalExchange) {
            let content = Array(response.content.utf8)
            guard response.fields.combined("Content-Type") == "application/problem+json",
                let object = try? JSONSerialization.jsonObject(with: Data(content)) as? [String: Any],
                let code = object["code"] as? String, let cause = object["cause"] as? String,
                let chain = object["chain"] as? [[String: Any]]
            else { return nil }
            self.code = code
            self.cause = cause
            hint = object["hint"] as? String
            change = ProposedChange(in: content)
            let links = chain.compactMap { $0["code"] as? String }
            let locations = chain.compactMap { ($0["at"] as? [String: Any])?["byte"] as? Int }
            var words = ["\(response.status)", code, cause]
            if object["retryable"] as? Bool == true { words.append("retryable") }
            if links != [code] { words.append("(\(links.joined(separator: ", ")))") }
            if let location = locations.first { words.append("@\(location)") }
            if let value = JSONMembers(of: response.content)["value"], value.utf8.count <= 100 {
                words.append("with \(value)")
            }
            outcome = words.joined(separator: " ")
        }
    }

    /// The codes of warnings with their offsets.
    private struct ResponseWarnings {
        let text: String

        init(json: String) {
            let warnings = (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [[String: Any]] ?? []
            text = warnings.map { warning in
                let at = (warning["at"] as? [String: Any])?["byte"] as? Int
                return (warning["code"] as? String ?? "") + (at.map { "@\($0)" } ?? "")
            }.joined(separator: ", ")
        }
    }
}

/// The members of a JSON object without white space, as they are written.
private struct JSONMembers {
    private var texts: [String: String] = [:]

    subscript(name: String) -> String? { texts[name] }

    init(of object: String) {
        let bytes = Array(object.utf8)
        guard bytes.first == UInt8(ascii: "{") else { return }
        var index = 1
        while index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
            let name = Self.value(in: bytes, &index)
            index += 1
            texts[name.unquoted] = Self.value(in: bytes, &index)
            index += 1
        }
    }

    /// Skips a value, up to the comma or bracket behind it.
    private static func value(in bytes: [UInt8], _ index: inout Int) -> String {
        let start = index
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return String(decoding: bytes[start..<index], as: UTF8.self) }
                depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                if depth == 0 { return String(decoding: bytes[start..<index], as: UTF8.self) }
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
            default: break
            }
            index += 1
        }
        return String(decoding: bytes[start..<min(index, bytes.count)], as: UTF8.self)
    }
}

extension String {
    fileprivate var unquoted: String { trimmingCharacters(in: ["\""]) }
}
