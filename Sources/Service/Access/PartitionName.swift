internal import Serialization

/// The name of a partition: a group of callers who share nothing with other groups.
struct PartitionName: Hashable, Sendable {
    let text: String

    /// The partition of requests without a token. Its name is empty, so that no request can name it.
    static let standard = PartitionName(valid: "")

    /// - Returns: `nil` if the text is not a name of 1 to 128 characters.
    init?(parsing text: String) {
        guard NameSyntax.isName(text.utf8.span) else { return nil }
        self.text = text
    }

    private init(valid text: String) { self.text = text }
}
