internal import Flights
internal import HTTP
internal import Serialization

extension Problem {
    static let mediaType: StaticString = "application/problem+json"

    /// Returns the HTTP response. Members are in the order of the contract, and empty members are omitted.
    /// - Parameter requestID: the identifier of the request, from which `instance` is derived.
    func response(requestID: String) -> Response {
        var writer = JSONWriter(capacity: 1024)
        let type = code.definition.type
        writer.beginObject()
        writer.member("type", PublicURL.reference("/problems/" + code.rawValue))
        writer.member("title", type.title)
        writer.name("status")
        writer.integer(type.status)
        writer.member("detail", detail)
        writer.member("instance", Instance.urn(requestID: requestID))
        // The closing quotation mark follows it.
        let instanceEnd = writer.buffer.count - 1
        writer.member("code", code.rawValue)
        writer.member("cause", type.cause.rawValue)
        writer.name("retryable")
        writer.boolean(isRetryable)
        writer.member("hint", hint)
        if let accepts {
            writer.name("accepts")
            writer.beginObject()
            switch accepts {
            case .option(let name, let value):
                writer.name(name)
                writer.string(value)
            case .path(let path): writer.member("path", path)
            }
            writer.endObject()
        }
        writer.member("declaredType", mismatch?.declared)
        writer.member("looksLike", mismatch?.looksLike)
        writer.name("chain")
        writer.chain([first] + rest)
        if !attempts.isEmpty {
            writer.name("attempts")
            writer.beginArray()
            for attempt in attempts {
                writer.beginObject()
                writer.member("serializer", attempt.serializer.name)
                writer.name("chain")
                writer.chain(attempt.chain)
                writer.endObject()
            }
            writer.endArray()
        }
        if let upstream {
            writer.name("upstream")
            writer.upstream(upstream)
        }
        if let value {
            writer.name("value")
            writer.raw(value)
        }
        if !warnings.isEmpty {
            writer.name("warnings")
            writer.warnings(warnings)
        }
        writer.endObject()
        var response = Response(
            status: type.status,
            contentType: Self.mediaType,
            fields: fields,
            content: writer.finish()
        )
        response.problem = code
        response.setInstance(endingAt: instanceEnd)
        return response
    }
}

extension JSONWriter {
    fileprivate mutating func chain(_ links: [Problem.Link]) {
        beginArray()
        for link in links.prefix(Problem.maxLinks) { self.link(link) }
        endArray()
    }

    private mutating func link(_ link: Problem.Link) {
        let type = link.code.definition.type
        beginObject()
        member("domain", type.domain.rawValue)
        name("domainCode")
        integer(link.domainCode ?? type.domainCode)
        member("code", link.code.rawValue)
        member("stage", type.stage.rawValue)
        member("message", link.message)
        member("at", link.at)
        member("firstAt", link.firstAt)
        if !link.expected.isEmpty {
            name("expected")
            strings(link.expected)
        }
        member("see", link.see.map { PublicURL.reference($0) })
        member("found", link.found)
        member("looksLike", link.looksLike)
        member("excerpt", link.excerpt)
        member("failingURL", link.failingURL)
        member("phase", link.phase)
        member("attempts", link.attempts)
        if !link.timings.isEmpty {
            name("timings")
            beginObject()
            for duration in link.timings {
                name(duration.phase)
                raw(Array(duration.milliseconds.utf8))
            }
            endObject()
        }
        endObject()
    }
}
