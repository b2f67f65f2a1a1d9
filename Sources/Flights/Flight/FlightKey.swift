internal import Fetching

// Which flights a request joins depends on what may be their result:
//
//     FlightKind.origin          the response of the origin: every request joins
//     FlightKind.validation      perhaps a stored response, by the rules of one mode: requests of this mode join
//     FlightKind.redirect        a stored redirect that was followed and is validated: no request joins, because its
//                                content is not stored
//     FlightKind.stored          a stored response that is being decoded: requests that selected the same one join

/// The key of the flights that can be joined.
struct FlightKey: Hashable {
    let identity: FlightIdentity
    let kind: FlightKind
}

enum FlightKind: Hashable {
    case origin
    case validation(CacheMode)
    case redirect
    case stored(generation: UInt128, revision: Int, isNotModified: Bool)
}
