import Foundation

/// The member `accepts` of a problem, as a client applies it that does not know its meaning.
struct ProposedChange: CustomStringConvertible {
    /// The name of an option, or `path`.
    let name: String
    private let value: String

    var description: String { "\(name)=\(value)" }

    /// - Returns: `nil` if the response is not a problem, or proposes nothing.
    init?(in content: [UInt8]) {
        guard let problem = try? JSONSerialization.jsonObject(with: Data(content)) as? [String: Any],
            let (name, value) = (problem["accepts"] as? [String: String])?.first
        else { return nil }
        (self.name, self.value) = (name, value)
    }

    /// Returns the target of the request with the change.
    func applied(to target: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? parts[1] : ""
        guard name != "path" else { return value + (query.isEmpty ? "" : "?" + query) }
        let others = query.split(separator: "&").filter { !$0.hasPrefix(name + "=") }.map(String.init)
        let escaped = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return parts[0] + "?" + (others + [name + "=" + escaped]).joined(separator: "&")
    }
}
