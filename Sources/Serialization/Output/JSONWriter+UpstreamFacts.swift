// What answers and problems both say about an upstream response. Members with nothing to say are left out.

extension JSONWriter {
    /// Writes the object that stands under `upstream`.
    package mutating func upstream(_ facts: UpstreamFacts) {
        beginObject()
        name("status")
        integer(facts.status)
        if facts.statusAssumed {
            name("statusAssumed")
            boolean(true)
        }
        member("url", facts.url)
        member("mediaType", facts.mediaType)
        member("charset", facts.charset)
        if !facts.contentCodings.isEmpty {
            name("contentCodings")
            strings(facts.contentCodings)
        }
        member("bytes", facts.bytes)
        member("decodedBytes", facts.decodedBytes)
        if let xml = facts.xml, xml != XMLFacts() {
            name("xml")
            self.xml(xml)
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
            name("namespaces")
            beginObject()
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
        if !facts.inferredArrays.isEmpty {
            name("inferredArrays")
            strings(facts.inferredArrays)
        }
        endObject()
    }

    /// Writes the array that stands under `warnings`.
    package mutating func warnings(_ warnings: [Warning]) {
        beginArray()
        for warning in warnings {
            beginObject()
            member("code", warning.code)
            member("message", warning.message)
            if let place = warning.location {
                name("at")
                location(place)
            }
            endObject()
        }
        endArray()
    }

    /// Writes the object that stands under `at`.
    package mutating func location(_ location: SourceLocation) {
        beginObject()
        name("byte")
        integer(location.byte)
        member("line", location.line)
        member("column", location.column)
        member("record", location.record)
        member("pointer", location.pointer)
        member("path", location.path)
        endObject()
    }
}
