import Foundation
import Testing

@testable import Service

/// An example of an option in `docs/options.md`: the results of one content with several queries. The results are those
/// of the built service.
struct OptionExample {
    /// A description of the content, in Markdown.
    let description: String
    let fields: [String]
    let content: [UInt8]
    let queries: [String]
    /// The members of the result that the example shows; empty for the whole result.
    let members: [String]

    private init(_ description: String, _ content: [UInt8], _ queries: [String], fields: [String], _ members: [String])
    {
        self.description = description
        self.content = content
        self.queries = queries
        self.fields = fields
        self.members = members
    }

    /// - Parameter fields: fields of the request besides `Content-Type`.
    private static func text(
        _ content: String,
        as mediaType: String = "application/json",
        fields: [String] = [],
        _ queries: String...,
        showing members: [String] = ["value"]
    ) -> OptionExample {
        let text = content.replacingOccurrences(of: "\n", with: "␊")
        let fields = ["Content-Type: \(mediaType)"] + fields
        return OptionExample("`\(text)`, `\(mediaType)`", Array(content.utf8), queries, fields: fields, members)
    }

    /// - Parameter length: the number of bytes of the picture that are used.
    private static func photo(
        first length: Int? = nil,
        _ queries: String...,
        showing members: String...
    ) throws -> OptionExample {
        let photo = try [UInt8](Data(contentsOf: Contract.root.appending(path: "examples/photo.jpg")))
        let link = "[examples/photo.jpg](../examples/photo.jpg)"
        return OptionExample(
            length.map { "The first \($0) bytes of \(link)" } ?? link,
            Array(photo.prefix(length ?? photo.count)),
            queries,
            fields: ["Content-Type: image/jpeg"],
            members
        )
    }

    static func all(of name: OptionName) throws -> [OptionExample] {
        let (form, plist, xml) = ("application/x-www-form-urlencoded", "application/x-plist", "application/xml")
        return switch name {
        case .serializer:
            [.text("<p>Hello</p>", as: "text/html", "", "serializer=http", "serializer=auto,http")]
        case .profile:
            [.text(#"{"data":{"user":null}}"#, "", "profile=graphql")]
        case .view:
            [.text(#"{"a":1}"#, "", "view=value", showing: [])]
        case .type:
            [.text(#"{"a":1}"#, as: "text/html", "", "type=application/json")]
        case .acceptStatus:
            [
                .text(
                    #"{"error":"no such user"}"#,
                    fields: ["Upstream-Status: 404"],
                    "",
                    "accept-status=200-299,404",
                    "accept-status=*"
                ).described("`{\"error\":\"no such user\"}` with `Upstream-Status: 404`")
            ]
        case .acceptTypes:
            [.text(#"{"a":1}"#, as: "text/x-partner", "", "accept-types=text/x-partner")]
        case .nulls:
            [.text(#"{"a":null,"b":[1,null]}"#, "", "nulls=drop-all", "nulls=keep")]
        case .select:
            [
                .text(
                    #"{"data":{"items":[{"id":7},{"id":8}]},"took":3}"#,
                    "",
                    "select=/data/items",
                    "select=/data/items/1/id",
                    "select=/data/next"
                )
            ]
        case .selectMissing:
            [.text(#"{"data":null}"#, "select=/data/items", "select=/data/items&select-missing=empty", showing: [])]
        case .omit:
            [
                .text(
                    #"{"items":[{"id":7,"internal":1},{"id":8,"internal":2}],"debug":{}}"#,
                    "",
                    "omit=/debug,/items/*/internal",
                    "omit=/items/0"
                )
            ]
        case .upstreamHeaders:
            [
                .text(
                    "{}",
                    fields: [#"Upstream-Field-ETag: "7""#, "Upstream-Field-Set-Cookie: id=1"],
                    "",
                    "upstream-headers=etag",
                    "upstream-headers=set-cookie",
                    "upstream-headers=none",
                    showing: ["upstream", "headers"]
                ).described("`{}` with `Upstream-Field-ETag: \"7\"` and `Upstream-Field-Set-Cookie: id=1`")
            ]
        case .hints:
            [
                .text(
                    "<plist><dict><key>due</key><date>2026-11-26T08:00:00Z</date></dict></plist>",
                    as: plist,
                    "hints=true",
                    showing: ["hints"]
                )
            ]
        case .fragments:
            [.text(#""text""#, "", "fragments=false")]
        case .duplicates:
            [.text(#"{"a":1,"b":2,"a":3}"#, "", "duplicates=first", "duplicates=keep", "duplicates=reject")]
        case .surrogates:
            [.text(#"{"name":"Ann \ud83d"}"#, "", "surrogates=replace")]
        case .lenient:
            [
                .text("{'a': 01, /* b */}", "", "lenient=trailing-commas,comments,single-quotes,number-forms"),
                .text("<p>caf&eacute; & bar</p>", as: xml, "", "lenient=html-entities,bare-ampersands"),
            ]
        case .records:
            [
                .text("{\"a\":1}\n{\"a\":2}", as: "application/x-ndjson", "", "records=one"),
                .text(#"{"a":1} {"a":2}"#, "", "records=many"),
            ]
        case .keys:
            [.text(#"{"b":1,"a":2}"#, "", "keys=sorted")]
        case .canonical:
            [.text(#"{"b":1.10,"a":"\u0041"}"#, "", "canonical=true")]
        case .prefixes:
            [
                .text(")]}'\n{\"a\":1}", "", "prefixes=reject"),
                .text(#"show({"a":1});"#, as: "text/javascript", ""),
            ]
        case .xmlArrays:
            [.text("<order><item>Tea</item></order>", as: xml, "", "xml-arrays=/order/item", "xml-arrays=always")]
        case .xmlText:
            [.text("<p>Hello</p>", as: xml, "", "xml-text=object")]
        case .xmlNames:
            [.text(#"<a:p xmlns:a="urn:x">Hello</a:p>"#, as: xml, "", "xml-names=local", "xml-names=clark")]
        case .xmlTrim:
            [.text("<p>\n Hello\n</p>", as: xml, "", "xml-trim=true")]
        case .formArrays:
            [.text("tag=a&size=3", as: form, "", "form-arrays=tag", "form-arrays=always")]
        case .csvDelimiter:
            [.text("name;size\nTea;2,5", as: "text/csv", "", "csv-delimiter=comma")]
        case .csvQuote:
            [.text("name\tsize\n\"A\" cup\t2", as: "text/tab-separated-values", "", "csv-quote=none")]
        case .csvEscape:
            [.text(#"name\#n"the \"best\" tea""#, as: "text/csv", "", "csv-escape=backslash")]
        case .csvHeader:
            [.text("Tea,2\nCake,3", as: "text/csv", "", "csv-header=absent")]
        case .csvEmpty:
            [.text("name,size\nTea,", as: "text/csv", "", "csv-empty=null")]
        case .eventsData:
            [.text("data: {\"a\":1}\n\n", as: "text/event-stream", "", "events-data=json")]
        case .archive:
            [
                .text(try keyedArchive(), as: plist, "archive=resolve").described(
                    "The archive in [keyed-archive.json](../examples/exchanges/keyed-archive.json)"
                )
            ]
        case .scale:
            [try .photo("thumbnail=none", "thumbnail=none&scale=2", showing: "value", "size")]
        case .thumbnail:
            [
                try .photo(
                    "",
                    "thumbnail=none",
                    "thumbnail=64x64&thumbnail=32x32,fit=cover,format=png",
                    showing: "value",
                    "thumbnails"
                )
            ]
        case .decode:
            [try .photo("thumbnail=none", "decode=full", showing: "value", "integrity")]
        case .placeholder:
            [try .photo("placeholder=average,blurhash", showing: "value", "placeholder")]
        case .fingerprint:
            [try .photo("fingerprint=phash", showing: "value", "fingerprint")]
        case .exif:
            [
                try .photo("", "exif=public", "exif=none", showing: "value", "exif", "dateTimeOriginal"),
                try .photo("", "exif=public", "exif=none", showing: "value", "exif", "model"),
            ]
        case .truncated:
            [
                try .photo(
                    first: 6_000,
                    "thumbnail=64x64",
                    "thumbnail=64x64&truncated=allow",
                    showing: "value",
                    "integrity"
                )
            ]
        case .maxContentBytes, .maxDecodedBytes, .maxContentCodings, .maxOutputBytes, .maxNestingDepth, .maxNumberBytes,
            .maxKeyBytes, .maxObjectMembers, .maxWarnings, .maxPointerBytes, .maxXMLEntityExpansionBytes,
            .maxXMLAttributes, .maxImagePixels, .maxImageSide, .maxImageFrames, .maxJPEGScans, .maxThumbnails,
            .maxThumbnailSide:
            []
        }
    }

    private func described(_ description: String) -> OptionExample {
        OptionExample(description, content, queries, fields: fields, members)
    }

    private static func keyedArchive() throws -> String {
        let exchange = try #require(try ContractExchange.all.first { $0.name == "keyed-archive" })
        return String(decoding: exchange.content, as: UTF8.self)
    }
}

extension OptionExample {
    /// Returns the table of the example.
    func lines(from service: UInt16) throws -> [String] {
        let name = members.isEmpty ? "result" : "`\(members.joined(separator: "."))`"
        return try ["\(description):", "", "| query | \(name) |", "|---|---|"]
            + queries.map { query in
                let result = try result(of: query, from: service).replacingOccurrences(of: "|", with: "\\|")
                return "| \(query.isEmpty ? "none" : "`?\(query)`") | \(result) |"
            }
    }

    /// Returns the result of a query in Markdown: the members, or the code and the sentence of a problem.
    private func result(of query: String, from service: UInt16) throws -> String {
        let target = "/v1/normalize" + (query.isEmpty ? "" : "?\(query)")
        let head = ["POST \(target) HTTP/1.1", "Host: decant.test", "Content-Length: \(content.count)"] + fields
        let client = try RawClient(port: service)
        client.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content)
        let response = try client.readResponse()
        if response.status >= 400 {
            let code = try #require(JSONLayout.member(["code"], of: response.text)).dropFirst().dropLast()
            let detail = try #require(JSONLayout.member(["detail"], of: response.text)).dropFirst().dropLast()
            return "\(response.status) `\(code)`: \(detail.replacingOccurrences(of: "\\\"", with: "\""))"
        }
        let omitted: Set = ["base64", "bytes"]
        let text = JSONLayout.member(members, of: response.text, omitting: members.isEmpty ? [] : omitted)
        let codes = response.text.matches(of: /"code":"([a-z_.]+)"/).map { "`\($0.1)`" }
        let distinct = codes.enumerated().filter { !codes[..<$0.offset].contains($0.element) }.map(\.element)
        let warnings = distinct.isEmpty ? "" : ", with \(distinct.count == 1 ? "the warning" : "the warnings") "
        return (text.map { "`\($0)`" } ?? "absent") + warnings + distinct.joined(separator: ", ")
    }
}
