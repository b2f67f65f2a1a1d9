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
        if let url = facts.url {
            name("url")
            string(url)
        }
        if let mediaType = facts.mediaType {
            name("mediaType")
            string(mediaType)
        }
        if let charset = facts.charset {
            name("charset")
            string(charset)
        }
        if !facts.contentCodings.isEmpty {
            name("contentCodings")
            beginArray()
            for coding in facts.contentCodings { string(coding) }
            endArray()
        }
        if let bytes = facts.bytes {
            name("bytes")
            integer(bytes)
        }
        if let decodedBytes = facts.decodedBytes {
            name("decodedBytes")
            integer(decodedBytes)
        }
        if let xml = facts.xml, xml != XMLFacts() {
            name("xml")
            self.xml(xml)
        }
        endObject()
    }

    private mutating func xml(_ facts: XMLFacts) {
        beginObject()
        if let version = facts.version {
            name("version")
            string(version)
        }
        if let encoding = facts.encoding {
            name("encoding")
            string(encoding)
        }
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
                    beginArray()
                    for name in namespace.names { string(name) }
                    endArray()
                }
            }
            endObject()
        }
        if !facts.inferredArrays.isEmpty {
            name("inferredArrays")
            beginArray()
            for path in facts.inferredArrays { string(path) }
            endArray()
        }
        endObject()
    }

    /// Writes the array that stands under `warnings`.
    package mutating func warnings(_ warnings: [Warning]) {
        beginArray()
        for warning in warnings {
            beginObject()
            name("code")
            string(warning.code)
            name("message")
            string(warning.message)
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
        if let line = location.line {
            name("line")
            integer(line)
        }
        if let column = location.column {
            name("column")
            integer(column)
        }
        if let record = location.record {
            name("record")
            integer(record)
        }
        if let pointer = location.pointer {
            name("pointer")
            string(pointer)
        }
        if let path = location.path {
            name("path")
            string(path)
        }
        endObject()
    }
}
