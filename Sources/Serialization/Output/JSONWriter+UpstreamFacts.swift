// The facts about an upstream response that answers and problems share. Members without a value are omitted.

extension JSONWriter {
    /// Writes the object `upstream`.
    package mutating func upstream(_ facts: UpstreamFacts) {
        beginObject()
        member("status", facts.status)
        if facts.statusAssumed { member("statusAssumed", true) }
        member("url", facts.url)
        member("mediaType", facts.representation.mediaType)
        member("charset", facts.representation.charset)
        member("contentCodings", facts.representation.contentCodings)
        member("bytes", facts.representation.bytes)
        member("decodedBytes", facts.representation.decodedBytes)
        switch facts.content {
        case .xml(let xml) where xml != XMLFacts():
            name("xml")
            self.xml(xml)
        case .form(let form) where !form.inferredArrays.isEmpty:
            beginObject("form")
            member("inferredArrays", form.inferredArrays)
            endObject()
        case .events(let events) where events != EventStreamFacts():
            beginObject("events")
            member("lastEventId", events.lastEventID)
            member("retry", events.retry)
            endObject()
        case .csv(let csv):
            beginObject("csv")
            member("delimiter", csv.delimiter)
            member("columns", csv.columns)
            member("records", csv.records)
            endObject()
        case .feed(let feed):
            beginObject("feed")
            member("format", feed.format.rawValue)
            member("version", feed.formatVersion)
            member("items", feed.items)
            member("unreadElements", feed.unreadElements)
            endObject()
        case .xml, .form, .events, nil: break
        }
        if let head = facts.head { self.head(head) }
        endObject()
    }

    // MARK: Header fields

    private mutating func head(_ head: UpstreamHead) {
        fields("headers", head.fields)
        if let retryAfter = head.retryAfter {
            name("retryAfter")
            time(retryAfter)
        }
        if !head.links.isEmpty {
            beginArray("links")
            for link in head.links { self.link(link) }
            endArray()
        }
        if let etag = head.etag {
            beginObject("etag")
            member("value", etag.opaque)
            member("weak", etag.isWeak)
            endObject()
        }
        member("lastModified", head.lastModified)
        if !head.cacheControl.isEmpty { cacheControl(head.cacheControl) }
        if let rateLimit = head.rateLimit {
            beginObject("rateLimit")
            member("limit", rateLimit.limit)
            member("remaining", rateLimit.remaining)
            if let reset = rateLimit.reset {
                name("reset")
                time(reset)
            }
            endObject()
        }
        fields("trailers", head.trailers)
        if !head.history.isEmpty {
            beginArray("history")
            for response in head.history { precedingResponse(response) }
            endArray()
        }
    }

    /// Writes a member with pairs of names and values, if there are any.
    private mutating func fields(_ name: StaticString, _ fields: [HeaderFields.Field]) {
        guard !fields.isEmpty else { return }
        self.name(name)
        beginArray()
        for field in fields { strings([field.name, field.value]) }
        endArray()
    }

    private mutating func precedingResponse(_ response: PrecedingResponse) {
        beginObject()
        member("status", response.status)
        member("url", response.url)
        member("location", response.fields.first("location"))
        fields("headers", response.fields.fields)
        endObject()
    }

    private mutating func time(_ time: UpstreamTime) {
        beginObject()
        switch time {
        case .seconds(let seconds): member("seconds", seconds)
        case .date(let date): member("date", date)
        }
        endObject()
    }

    private mutating func link(_ link: UpstreamLink) {
        beginObject()
        member("target", link.target)
        member("rel", link.relations)
        if !link.attributes.isEmpty {
            beginArray("attributes")
            for attribute in link.attributes { strings([attribute.name, attribute.value]) }
            endArray()
        }
        endObject()
    }

    private mutating func cacheControl(_ directives: [CacheDirective]) {
        beginObject("cacheControl")
        for directive in directives {
            name(directive.name)
            switch directive.value {
            case .none: boolean(true)
            case .seconds(let seconds): integer(seconds)
            case .text(let text): string(text)
            }
        }
        endObject()
    }

    private mutating func xml(_ facts: XMLFacts) {
        beginObject()
        member("version", facts.version)
        member("encoding", facts.encoding)
        if let doctype = facts.doctype {
            name("doctype")
            self.doctype(doctype)
        }
        if !facts.namespaces.isEmpty {
            beginObject("namespaces")
            for namespace in facts.namespaces {
                name(namespace.prefix)
                if namespace.names.count == 1 {
                    string(namespace.names[0])
                } else {
                    strings(namespace.names)
                }
            }
            endObject()
        }
        member("inferredArrays", facts.inferredArrays)
        endObject()
    }

    /// Writes the array `warnings`.
    package mutating func warnings(_ warnings: [Warning]) {
        beginArray()
        for warning in warnings {
            beginObject()
            member("code", warning.code)
            member("message", warning.message)
            member("at", warning.location)
            member("firstAt", warning.first)
            endObject()
        }
        endArray()
    }

    /// Writes the object `at`.
    package mutating func location(_ location: SourceLocation) {
        beginObject()
        member("byte", location.byte)
        if location.isEncoded { member("in", "encoded") }
        if location.isInValue { member("in", "value") }
        if location.decodedCodings > 0 { member("undoneCodings", location.decodedCodings) }
        member("line", location.line)
        member("column", location.column)
        member("record", location.record)
        member("pointer", location.pointer)
        member("path", location.path)
        endObject()
    }
}
