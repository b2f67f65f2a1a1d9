internal import Fetching

/// The result that was made of a stored response with one set of options.
package final class Rendition: Sendable {
    package let response: any FlightResponse
    /// The revision of the head that the response describes.
    let revision: Int
    /// The URL and the preceding responses that the response describes.
    let path: ResponsePath
    /// ``FlightResponse/entityTag`` of ``response``.
    package let entityTag: String?

    init(_ response: any FlightResponse, revision: Int, path: ResponsePath) {
        self.response = response
        self.revision = revision
        self.path = path
        entityTag = response.entityTag
    }
}

/// The path on which a response was reached.
package struct ResponsePath: Equatable, Sendable {
    package var url: String
    /// The redirects that were followed.
    package var history: [FollowedRedirect] = []
}

/// A redirect that was followed.
package struct FollowedRedirect: Equatable, Sendable {
    package let status: Int
    /// The URL that redirected.
    package let url: String
}
