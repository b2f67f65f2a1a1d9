/// The reason why content that is well-formed is not a feed, and the location of the error.
package struct FeedError: Error, Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        /// The content is XML or JSON, but not one of the formats of feeds.
        case notAFeed
        /// No memory was granted (``MemoryGrant``).
        case outOfMemory
    }

    package var reason: Reason
    package var location: SourceLocation
    /// What was found instead of the root of a feed.
    package var found: String?

    package init(_ reason: Reason, at location: SourceLocation, found: String? = nil) {
        self.reason = reason
        self.location = location
        self.found = found
    }

    static var outOfMemory: FeedError { FeedError(.outOfMemory, at: SourceLocation(byte: 0)) }
}

extension FeedError: ContentError {
    package var isOutOfMemory: Bool { reason == .outOfMemory }

    package var remedies: [Remedy.Candidate] {
        switch reason {
        // Nobody wants the elements of a page instead of a feed.
        case .notAFeed: found?.asciiLowercased == "<html>" ? [] : [.serializer(.xml), .serializer(.json)]
        case .outOfMemory: []
        }
    }

    package var diagnostic: Diagnostic {
        switch reason {
        case .notAFeed:
            Diagnostic(
                .feedNotAFeed,
                "the content is not RSS, Atom or JSON Feed",
                expected: [
                    "<rss>", "<rdf:RDF>", "<feed>", "<entry> of Atom", "an object with the version of JSON Feed",
                ]
            )
            .at(location, found: found)
        case .outOfMemory: .outOfMemory
        }
    }
}

/// An error of one of the readers of feeds.
package enum FeedFault: Error {
    case xml(XMLError)
    case json(JSONError)
    case feed(FeedError)
}
