internal import Fetching
internal import Flights
internal import HTTP

/// A request for a resource of an origin, apart from what it asks for: `POST /v1/fetch`, `GET /v1/fetch` or `GET
/// /v1/image`.
///
/// It ends with a response of the cache, or waits for the result of a flight.
struct ResourceRequest: Sendable {
    let service: FetchService
    let requestID: RequestID
    let query: String
    /// When the response is 202, and where the result is available then.
    var waiting: Waiting
    /// The values of `If-None-Match`, which only `GET` has.
    private let ifNoneMatch: [String]
    /// The values of `CDN-Loop`, which are passed on (RFC 8586).
    private let loop: [String]

    /// - Parameter isInQuery: whether the query contains the URL of the resource.
    init(_ head: borrowing RequestHead, _ service: FetchService, isInQuery: Bool) throws(FetchCallError) {
        loop = try service.receivedLoop(head.fields)
        self.service = service
        requestID = head.requestID
        query = head.target.query ?? ""
        waiting = Waiting(head.fields, ResultLocation(query: query, hasURL: isInQuery))
        ifNoneMatch = isInQuery ? head.fields.values(of: "If-None-Match") : []
    }

    /// Responds to a request that is like an earlier one.
    func step(repeating known: RepeatedFetch) -> Step {
        if let response = service.cachedResponse(to: known, ifNoneMatch: ifNoneMatch, requestID: requestID) {
            return .done(response)
        }
        var callerRequest = known.callerRequest
        callerRequest.requestID = requestID
        return step(for: callerRequest)
    }

    /// Responds to any other request.
    /// - Parameter source: what determines the request; `nil` if it is not kept for further requests, because something
    ///   else decides too.
    func step(for callerRequest: CallerRequest, from source: RepeatedFetch.Source? = nil) -> Step {
        var callerRequest = callerRequest
        // Each request has its own, also if everything else is known from an earlier one.
        callerRequest.ifNoneMatch = ifNoneMatch
        callerRequest.loop = loop
        if let response = service.cachedResponse(to: callerRequest, from: source) { return .done(response) }
        callerRequest.generateReceipt()
        if callerRequest.wait == nil, let preference = waiting.preference {
            callerRequest.wait = .seconds(preference.seconds)
            callerRequest.prefersWait = true
        }
        if callerRequest.wait == nil { callerRequest.wait = callerRequest.waitByDefault }
        let bytes = callerRequest.heapBytes
        if bytes > CallerRequest.maxUnreservedBytes {
            do throws(RejectionReason) {
                callerRequest.memory = try service.account.reserve(bytes, besides: 0)
            } catch { return .done(Problem(error).response(requestID: requestID.text)) }
        }
        let location = waiting.location
        return .park { [service, callerRequest] parked in
            service.thread.join(callerRequest, parked, location: location)
        }
    }
}
