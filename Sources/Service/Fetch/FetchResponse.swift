internal import Fetching
internal import Flights
internal import HTTP
internal import Serialization

/// The HTTP responses of the endpoints of fetching.
enum FetchResponse {
    /// The response with a result, or with a problem of the serialization.
    /// - Parameters:
    ///   - ifNoneMatch: the entity tags of the results that the caller has.
    static func rendered(
        _ rendered: RenderedResponse,
        _ facts: FlightFacts,
        ifNoneMatch: [String],
        requestID: RequestID
    ) -> Response {
        let tag = ifNoneMatch.isEmpty ? nil : facts.cache?.stored?.entityTag
        let isNotModified = tag.map { EntityTag.isMatched(by: ifNoneMatch, $0) } ?? false
        // RFC 9110 §8.6: Content-Length is that of the response with 200. The library does not send the content.
        var response = Response(
            status: isNotModified ? 304 : rendered.status,
            contentType: rendered.contentType,
            fields: isNotModified ? rendered.fields.filter { $0.name == "Vary" } : rendered.fields,
            content: rendered.content(for: requestID)
        )
        response.problem = rendered.problem
        response.serializer = rendered.serializer
        response.charge = rendered.charge
        add(facts, decodingNanoseconds: facts.isDecoded ? rendered.decodingNanoseconds : 0, to: &response)
        return response
    }

    /// The response with a problem of the fetch.
    static func failed(_ failure: FlightFailure, _ facts: FlightFacts, requestID: RequestID) -> Response {
        var response = Problem(failure, facts).response(requestID: requestID.text)
        add(facts, decodingNanoseconds: 0, to: &response)
        return response
    }

    /// 202: the result is not available yet.
    static func postponed(_ receipt: String, location: String, isPreference: Bool) -> Response {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("receipt", receipt)
        writer.endObject()
        var fields: [HeaderFields.Field] = [
            HeaderFields.Field(name: "Location", value: location), .retryAfter(seconds: 1), .noStore,
        ]
        // RFC 7240 §3.
        if isPreference { fields.append(HeaderFields.Field(name: "Preference-Applied", value: "respond-async")) }
        return Response(status: 202, contentType: "application/json", fields: fields, content: writer.finish())
    }

    static func reply(_ reply: FlightReply, requestID: RequestID) -> Response {
        switch reply {
        case .cancelled(let count):
            var writer = JSONWriter(capacity: 64)
            writer.beginObject()
            writer.member("cancelled", count)
            writer.endObject()
            return Response(status: 200, contentType: "application/json", fields: [.noStore], content: writer.finish())
        case .missing:
            var problem = Problem(.fetchNotFound, "no request waits under this name, and no result is kept under it")
            problem.fields = [.noStore]
            return problem.response(requestID: requestID.text)
        }
    }

    // MARK: Fields

    private static func add(_ facts: FlightFacts, decodingNanoseconds: UInt64, to response: inout Response) {
        // The fields below.
        response.fields.reserveCapacity(response.fields.count + 5)
        if let status = facts.cache?.text(isCollapsed: facts.isCollapsed) {
            response.fields.append(HeaderFields.Field(name: "Cache-Status", value: status))
        }
        let timing = timing(facts, decodingNanoseconds)
        if !timing.isEmpty { response.fields.append(HeaderFields.Field(name: "\(ServerTiming.name)", value: timing)) }
        response.hasTiming = true
        guard let stored = facts.cache?.stored, response.problem == nil else {
            if !response.fields.contains(where: { $0.name == "Cache-Control" }) { response.fields.append(.noStore) }
            return
        }
        // The complete lifetime, because the caller subtracts Age.
        response.fields.append(HeaderFields.Field(name: "Cache-Control", value: stored.cacheControl))
        response.fields.append(HeaderFields.Field(name: "Age", value: String(stored.ageSeconds)))
        if let tag = stored.entityTag { response.fields.append(HeaderFields.Field(name: "ETag", value: tag)) }
    }

    private static func timing(_ facts: FlightFacts, _ decodingNanoseconds: UInt64) -> String {
        // Most stored responses have no duration.
        if facts.queueNanoseconds == 0, decodingNanoseconds == 0, facts.timings == FetchTimings() { return "" }
        var stages = facts.durations
        if decodingNanoseconds > 0 {
            stages.append(PhaseDuration(phase: "decode", microseconds: decodingNanoseconds / 1_000))
        }
        return stages.map { stage in
            // The usual name in this field.
            let name = stage.phase == "resolve" ? "dns" : stage.phase
            return "\(name);dur=\(stage.milliseconds)"
        }.joined(separator: ", ")
    }
}
