import Foundation

/// A line of a table of upstream responses: what is sent, and what the service makes of it.
///
///     200 application/json ?nulls=keep | {"a":null} >> utf-16le | json {"a":null} ! response.transcoded@0 |
///
/// The first column has, separated by spaces and in any order: a path (`/v1/normalize` if there is none), a status (if
/// it is sent), a media type (`-` if it is missing), options (`?NAME=VALUE`) and fields (`+NAME=VALUE`). The second one
/// is the content (``ResponseContentNotation``). The others are the outcome and the hint, as ``ResponseRun`` writes
/// them.
struct ResponseRow {
    static let separator = " | "

    var request: String
    var content: String

    init(_ request: String, _ content: String) {
        self.request = request
        self.content = content
    }

    /// - Returns: `nil` if the line is empty or a comment.
    init?(line: String) {
        guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
        let columns = line.components(separatedBy: Self.separator)
        self.init(columns[0], columns.count > 1 ? columns[1] : "")
    }

    var path: String { words.first { $0.hasPrefix("/") } ?? "/v1/normalize" }

    /// The path and the query.
    var target: String {
        let options = words.filter { $0.hasPrefix("?") }.map { $0.dropFirst() }
        return path + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
    }

    var fields: [(String, String)] {
        words.compactMap { word in
            if word.hasPrefix("+") {
                let parts = word.dropFirst().split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }
            if word.hasPrefix("/") || word.hasPrefix("?") || word == "-" { return nil }
            return word.count == 3 && word.allSatisfy(\.isNumber)
                ? ("Upstream-Status", word) : ("Content-Type", word.replacing(";", with: "; "))
        }
    }

    private var words: [String] { request.split(separator: " ").map(String.init) }
}
