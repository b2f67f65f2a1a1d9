/// The facts about a feed that an answer contains in addition to its value.
public struct FeedFacts: Equatable, Sendable {
    public enum Format: String, Sendable {
        /// RSS 0.91 to 2.0.
        case rss
        /// RSS 0.90 and 1.0, which are RDF.
        case rdf
        case atom
        case json
    }

    public var format: Format

    /// The version as the document specifies it: `2.0`, `0.3`; `nil` if it does not.
    public var formatVersion: String?

    /// The number of items.
    public var items = 0

    /// The names of elements that are not part of the value, or whose text is not, as written, in the order of the
    /// document.
    public var unreadElements: [String] = []

    /// The maximum number of listed names.
    static let maxUnread = 64

    /// The member `version` of each value.
    static let version = "https://jsonfeed.org/version/1.1"

    init(_ format: Format) { self.format = format }
}
