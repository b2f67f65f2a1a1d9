/// The media types of files, which depend on the extension of the name.
enum FileMediaType {
    /// The extensions in lower case, without the dot.
    static let extensions: [(mediaType: String, extensions: [String])] = [
        ("application/json", ["json"]),
        ("application/geo+json", ["geojson"]),
        ("application/ld+json", ["jsonld"]),
        ("application/x-ndjson", ["ndjson"]),
        ("application/jsonl", ["jsonl"]),
        ("application/xml", ["xml", "opml"]),
        ("application/rss+xml", ["rss"]),
        ("application/atom+xml", ["atom"]),
        ("application/rdf+xml", ["rdf"]),
        ("text/event-stream", ["sse"]),
        ("text/csv", ["csv"]),
        ("text/tab-separated-values", ["tsv", "tab"]),
        ("application/x-plist", ["plist", "strings"]),
        ("image/jpeg", ["jpg", "jpeg", "jpe"]),
        ("image/png", ["png", "apng"]),
        ("image/gif", ["gif"]),
        ("image/webp", ["webp"]),
        ("image/bmp", ["bmp"]),
        ("image/x-icon", ["ico"]),
        ("image/x-win-bitmap", ["cur"]),
        ("image/x-xbitmap", ["xbm"]),
        ("image/tiff", ["tif", "tiff"]),
        ("image/avif", ["avif"]),
        ("image/heic", ["heic"]),
        ("image/jxl", ["jxl"]),
        ("image/jp2", ["jp2"]),
        ("image/vnd.adobe.photoshop", ["psd"]),
        ("image/svg+xml", ["svg"]),
    ]

    static let mediaTypes = extensions.map(\.mediaType)

    private static let types = Dictionary(
        uniqueKeysWithValues: extensions.flatMap { entry in entry.extensions.map { ($0, entry.mediaType) } }
    )

    /// Returns the media type for the extension, which is not case-sensitive; `nil` if there is none.
    static func mediaType(ofFile path: String) -> String? {
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: "."), dot > name.startIndex
        else { return nil }
        return types[name[name.index(after: dot)...].lowercased()]
    }
}
