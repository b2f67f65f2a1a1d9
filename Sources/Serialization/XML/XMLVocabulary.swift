/// The elements of well-known vocabularies that affect the shape of a value.
enum XMLVocabulary {
    /// A rule that `elements` in `parents` may occur more than once. Both belong to one of the `namespaces`, or to the
    /// namespace of the root if the root is one of the `roots`.
    struct Rule {
        var elements: [StaticString]
        /// The names of the parents. Empty for any element of any namespace.
        var parents: [StaticString]
        var namespaces: [StaticString] = []
        var roots: [StaticString] = []
    }

    /// The rules, at most 32, because each uses one bit.
    static let rules: [Rule] = [
        // RSS 0.9x and 2.0.
        Rule(elements: ["item"], parents: ["channel", "rss"], roots: ["rss"]),
        Rule(elements: ["category"], parents: ["channel", "item"], roots: ["rss"]),
        Rule(elements: ["enclosure"], parents: ["item"], roots: ["rss"]),
        // RSS 0.90 and 1.0 have their items next to the channel, in an element of another namespace.
        Rule(elements: ["item"], parents: [], namespaces: rdf),
        // RFC 4287, and its predecessor Atom 0.3. Its elements also occur in RSS feeds.
        Rule(elements: ["entry"], parents: ["feed"], namespaces: atom, roots: ["feed"]),
        Rule(elements: ["link", "author", "contributor", "category"], parents: [], namespaces: atom, roots: ["feed"]),
        // sitemaps.org.
        Rule(elements: ["url"], parents: ["urlset"], namespaces: sitemap, roots: ["urlset"]),
        Rule(elements: ["sitemap"], parents: ["sitemapindex"], namespaces: sitemap, roots: ["sitemapindex"]),
        Rule(elements: ["outline"], parents: ["body", "outline"], roots: ["opml"]),
        // RFC 4918 §14.
        Rule(elements: ["response"], parents: ["multistatus"], namespaces: ["DAV:"]),
        Rule(elements: ["propstat"], parents: ["response"], namespaces: ["DAV:"]),
        // Amazon S3 API reference: ListObjects, ListObjectVersions, ListMultipartUploads. Ceph, MinIO and others return
        // the same elements; Google Cloud Storage uses its own namespace.
        Rule(
            elements: ["Contents", "CommonPrefixes", "Version", "Upload"],
            parents: listings,
            namespaces: ["http://s3.amazonaws.com/doc/2006-03-01/", "http://doc.s3.amazonaws.com/2006-03-01"],
            roots: listings
        ),
        // SOAP 1.2 §5.4.2.
        Rule(elements: ["Text"], parents: ["Reason"], namespaces: ["http://www.w3.org/2003/05/soap-envelope"]),
    ]

    private static let rdf: [StaticString] = [
        "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/",
        "http://channel.netscape.com/rdf/simple/0.9/",
    ]
    private static let atom: [StaticString] = ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"]
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
