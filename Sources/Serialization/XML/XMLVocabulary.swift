/// What the elements of well-known documents mean for the shape of their value.
enum XMLVocabulary {
    /// `elements` of `parents` may stand there more than once. Both belong to one of the `namespaces`, or to none where
    /// the document has one of the `roots`.
    struct Rule {
        var elements: [StaticString]
        /// Empty: any element, of whatever namespace.
        var parents: [StaticString]
        var namespaces: [StaticString] = []
        var roots: [StaticString] = []
    }

    /// At most 32: a bit each.
    static let rules: [Rule] = [
        // RSS 0.9x and 2.0.
        Rule(elements: ["item"], parents: ["channel", "rss"], roots: ["rss"]),
        Rule(elements: ["category"], parents: ["channel", "item"], roots: ["rss"]),
        Rule(elements: ["enclosure"], parents: ["item"], roots: ["rss"]),
        // RSS 1.0 has its items beside the channel, in an element of another namespace.
        Rule(elements: ["item"], parents: [], namespaces: ["http://purl.org/rss/1.0/"]),
        // RFC 4287; its elements stand in RSS feeds too.
        Rule(elements: ["entry"], parents: ["feed"], namespaces: [atom]),
        Rule(elements: ["link", "author", "contributor", "category"], parents: [], namespaces: [atom]),
        // sitemaps.org.
        Rule(elements: ["url"], parents: ["urlset"], namespaces: sitemap),
        Rule(elements: ["sitemap"], parents: ["sitemapindex"], namespaces: sitemap),
        Rule(elements: ["outline"], parents: ["body", "outline"], roots: ["opml"]),
        // RFC 4918 §14.
        Rule(elements: ["response"], parents: ["multistatus"], namespaces: ["DAV:"]),
        Rule(elements: ["propstat"], parents: ["response"], namespaces: ["DAV:"]),
        // Amazon S3 API reference: ListObjects, ListObjectVersions, ListMultipartUploads.
        Rule(
            elements: ["Contents", "CommonPrefixes", "Version", "Upload"],
            parents: listings,
            namespaces: ["http://s3.amazonaws.com/doc/2006-03-01/"],
            roots: listings
        ),
        // SOAP 1.2 §5.4.2.
        Rule(elements: ["Text"], parents: ["Reason"], namespaces: ["http://www.w3.org/2003/05/soap-envelope"]),
    ]

    private static let atom: StaticString = "http://www.w3.org/2005/Atom"
    private static let sitemap: [StaticString] = [
        "http://www.sitemaps.org/schemas/sitemap/0.9", "http://www.google.com/schemas/sitemap/0.84",
    ]
    private static let listings: [StaticString] = [
        "ListBucketResult", "ListVersionsResult", "ListMultipartUploadsResult",
    ]
}

extension XMLTape {
    func isEqual(_ range: Range<Int>, anyOf words: [StaticString]) -> Bool {
        for word in words where isEqual(range, word) { return true }
        return false
    }
}
