package import Fetching
package import Primitives

// What a table of flights stores, counts and returns, without looking into it. The program that uses the table defines
// it:
//
//     what the table calls it   in the service
//     RenditionRequest          the serializer and its options, and the format of an image
//     FlightMemory              a reservation of the memory of requests
//     FlightContent             bytes that several responses share
//     FlightResponse            a response of HTTP without what belongs to one connection
//
// They are references behind protocols, and not generic parameters: the table would not be specialized for the types of
// another module, and looking up metadata would take a part of each fetch (docs/decisions/0033-flights-is-a-module.md).
// A connection is not a part of it: the table knows a request by its number.

/// What a request wants to be made of the response.
package protocol RenditionRequest: AnyObject, Sendable {
    /// The memory of the options, in bytes.
    var heapBytes: Int { get }

    /// Returns whether one response serves both.
    func isEqual(to other: any RenditionRequest) -> Bool
}

/// Memory that is charged to the account of requests until the last reference is released.
package protocol FlightMemory: AnyObject, Sendable {
    /// Charges `count` more bytes if they fit.
    /// - Returns: `false` if they do not fit. In this case nothing is charged.
    func grow(by count: Int) -> Bool
}

/// The content of an origin's response, which does not change.
package protocol FlightContent: AnyObject, Sendable {
    /// The length, in bytes.
    var count: Int { get }

    /// The memory of the content, in bytes.
    var heapBytes: Int { get }

    /// Keeps `charge`, which pays for the content in the cache, as long as somebody uses the content.
    func retain(_ charge: CacheCharge)
}

/// The response to one or more requests, which was made of the response of an origin.
package protocol FlightResponse: AnyObject, Sendable {
    /// The memory that the response needs while it is kept and nothing else pays for it, in bytes.
    var unchargedBytes: Int { get }

    /// The memory of the response, in bytes.
    var heapBytes: Int { get }

    /// What it says about the content of which it was made.
    var verdict: RenditionVerdict { get }

    /// The weak entity tag (RFC 9110 §8.8.3), which is the same for equal content and options in every process; `nil`
    /// if the response of the origin is not stored.
    var entityTag: String? { get }

    /// Keeps `charge`, which pays for the response in the cache. From now on, nothing else pays for it.
    func retain(_ charge: CacheCharge)

    /// Whether more than the description of the stored response depends on the URL.
    var dependsOnURL: Bool { get }

    /// Returns the same response as it describes `stored`, reached by `path`. Nothing is decoded or copied.
    func describing(
        _ stored: StoredResponse,
        _ path: ResponsePath,
        for request: any RenditionRequest
    ) -> any FlightResponse
}

/// What a response says about the content of which it was made.
package enum RenditionVerdict: Sendable {
    /// Other requests with the same options may receive the response later.
    case usable
    /// The content does not satisfy these options. The response is a problem, which names its request.
    case rejected
    /// A problem that is not about the content.
    case unknown
}

/// The memory in which responses are received.
package protocol FlightAccount: AnyObject, Sendable {
    /// The maximum number of bytes of all requests together, inclusive.
    var maxBytes: Int { get }

    /// Returns memory of nothing, which can grow.
    func emptyMemory() -> any FlightMemory

    /// Returns what was received as content.
    func content(_ buffer: consuming OutputBuffer) -> any FlightContent
}
