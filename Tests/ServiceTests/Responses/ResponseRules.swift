/// Rows of the table of responses that rules generate: products of what a response consists of.
enum ResponseRules {
    static let all: [(title: String, rows: [ResponseRow])] = [
        ("status × type × content", statuses),
        ("media types of JSON", jsonTypes),
        ("formats × media types", labels),
        ("formats × encodings", encodings),
        ("formats × codings", codings),
        ("formats, cut off", truncations),
        ("leniencies, one at a time", leniencies),
        ("profiles × contents", profiles),
        ("forms of the request", forms),
    ]

    /// A document of each format, with its media type.
    private static let documents = [
        ("application/json", #"{"a":[1,true,null,"x"]}"#),
        ("application/xml", #"<r a="1"><b>x</b><b/></r>"#),
        ("application/rss+xml", "<rss version='2.0'><channel><item><title>One</title></item></channel></rss>"),
        ("application/x-plist", "<plist><dict><key>a</key><integer>1</integer></dict></plist>"),
        ("application/x-www-form-urlencoded", "a=1&b=x%20y&a=2"),
        ("application/x-ndjson", #"{"a":1}\n{"a":2}\n"#),
        ("image/png", "@png"),
        ("text/html", "<!DOCTYPE html><title>Home</title><p>Hi"),
    ]

    private static let statuses: [ResponseRow] = {
        let codes = [
            200, 201, 204, 206, 301, 304, 400, 401, 403, 404, 408, 409, 410, 422, 425, 429, 500, 501, 502, 503, 504,
        ]
        let contents = [
            ("application/json", #"{"a":1}"#), ("application/json", #"{"a":"#), ("application/json", ""),
            ("text/html", "<html><title>Oops</title>"), ("application/json", "<html><title>Oops</title>"),
        ]
        return codes.flatMap { code in contents.map { ResponseRow("\(code) \($0.0)", $0.1) } }
    }()

    private static let jsonTypes = [
        "application/json", "text/json", "application/x-json", "text/x-json", "application/json-rpc",
        "application/jsonrequest", "application/x-amz-json-1.0", "application/x-amz-json-1.1", "text/javascript",
        "application/javascript", "application/problem+json", "application/hal+json", "application/geo+json",
        "application/vnd.api+json", "application/ld+json", "application/graphql-response+json",
        "application/merge-patch+json", "application/json;charset=utf-8", "application/json;charset=UTF8",
        "application/json;charset=nonsense", "application/json;odd", "text/plain", "application/octet-stream", "-",
        "APPLICATION/JSON", "json", "application/json,text/html", "text/html", "image/png", "application/jsonp",
    ].map { ResponseRow($0, #"{"a":null}"#) }

    private static let labels: [ResponseRow] = {
        let types = documents.map(\.0) + ["text/plain", "application/octet-stream", "-"]
        return documents.flatMap { document in
            types.map { ResponseRow($0 + (document.1.hasPrefix("@") ? " ?thumbnail=none" : ""), document.1) }
        }
    }()

    private static let encodings: [ResponseRow] = {
        let texts = [
            ("application/json", #"{"ü":"é"}"#), ("application/xml", "<r ü='é'/>"),
            ("application/x-plist", "<plist><string>é</string></plist>"),
            ("application/x-www-form-urlencoded", "ü=é"), ("text/plain ?serializer=http", "é"),
        ]
        let encodings = [
            "bom", "latin1", "utf-16le", "utf-16be", "utf-32le", "utf-32be",
        ]
        let charsets = ["", ";charset=utf-8", ";charset=iso-8859-1", ";charset=utf-16", ";charset=nonsense"]
        return texts.flatMap { type, text in
            charsets.flatMap { charset in
                let words = type.split(separator: " ", maxSplits: 1)
                let request = ([words[0] + charset] + words.dropFirst()).joined(separator: " ")
                return ([""] + encodings).map { ResponseRow(request, text + ($0.isEmpty ? "" : " >> " + $0)) }
            }
        }
    }()

    private static let codings: [ResponseRow] = {
        let contents = [("application/json", #"{"a":1}"#), ("application/xml", "<r/>")]
        let steps = [
            ("gzip", "gzip"), ("gzip", "gzip >> without 9"), ("gzip", "gzip >> without 8"), ("gzip", "first 0"),
            ("deflate", "deflate"), ("deflate", "raw-deflate"), ("deflate", "deflate >> without 6"), ("zstd", "zstd"),
            ("zstd", "zstd >> without 2"), ("x-gzip", "gzip"), ("gzip,gzip", "gzip >> gzip"), ("gzip", "gzip >> gzip"),
            ("deflate", "gzip"), ("gzip", "deflate"), ("", "gzip"), ("", "zstd"), ("gzip", ""), ("br", ""),
            ("zstd", ""), ("deflate", ""), ("identity", ""), ("compress", ""), ("gzip, deflate", "deflate"),
        ]
        return contents.flatMap { type, text in
            steps.flatMap { coding, steps in
                let field = coding.isEmpty ? "" : " +Content-Encoding=" + coding.replacing(" ", with: "")
                let content = text + (steps.isEmpty ? "" : " >> " + steps)
                return ["", " ?truncated=allow"].map { ResponseRow(type + field + $0, content) }
            }
        }
    }()

    private static let truncations: [ResponseRow] = {
        let texts = documents.prefix(6) + [("application/json", #"["\\u00e9",-1.5e3,{"b":""}]"#)]
        return texts.flatMap { type, text in
            stride(from: 1, to: text.utf8.count, by: max(1, text.utf8.count / 9))
                .map { ResponseRow(type, text + " >> first \($0)") }
        }
    }()

    private static let leniencies: [ResponseRow] = {
        let contents = [
            ("trailing-commas", "[1,]"), ("comments", "[1/**/]//"), ("nan", "[NaN,-Infinity]"),
            ("single-quotes", #"['a"b']"#), ("unquoted-keys", "{a_1:1}"), ("raw-control-characters", #"["\n\x01"]"#),
            ("bad-escapes", #"["\\d\\u12"]"#), ("number-forms", "[01,.5,1.,+1,-.5e1]"),
            ("declared-charset", #"["é"] >> latin1"#), ("html-entities", "<r>&nbsp;&eacute;</r>"),
            ("bare-ampersands", "<r a='?b&c=d'>&</r>"), ("leading-space", #"\n<?xml version='1.0'?><r/>"#),
            ("control-characters", #"<r>\x01&#2;</r>"#), ("declared-charset", "<r>é</r> >> latin1"),
        ]
        return contents.flatMap { name, content in
            let type = content.contains("<") ? "application/xml" : "application/json"
            let charset = name == "declared-charset" ? ";charset=utf-8" : ""
            let options = ["", " ?lenient=\(name)", " ?lenient=nan,bare-ampersands", " ?serializer=http"]
            return options.map { ResponseRow(type + charset + $0, content) }
        }
    }()

    private static let profiles: [ResponseRow] = {
        let responses = [
            ("application/json", #"{"a":null,"b":[null]}"#), ("application/json", "1"), ("application/json", " "),
            ("application/json", ""), ("404 application/json", #"{"a":null}"#), ("500 application/json", "{"),
            ("text/plain", "[]"), ("application/vnd.api+json", "[]"), ("application/xml", "<r/>"),
            ("application/json", #")]}'[1]"#), ("application/json", #"{"data":null,"errors":[{"path":null}]}"#),
            ("application/json", "[1e400]"), ("application/json;charset=iso-8859-1", #"["é"] >> latin1"#),
        ]
        return responses.flatMap { response in
            ["default", "afnetworking", "graphql"].map { ResponseRow("\(response.0) ?profile=\($0)", response.1) }
        }
    }()

    private static let forms: [ResponseRow] = {
        let contents = [#"{"a":null}"#, "[1,]", "", "<r/>", #"{"a":1,"a":2}"#]
        return contents.flatMap { content in
            let escaped = content.replacing("\"", with: #"\\""#)
            let head = #"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"#
            let fields = #""headers":{"content-type":"application/json"},"#
            return [
                ResponseRow("/v1/normalize/value application/json", content),
                ResponseRow("/v1/normalize/message application/http", head + content),
                ResponseRow(
                    "/v1/normalize/envelope application/json",
                    #"{"status":200,\#(fields)"body":{"text":"\#(escaped)"}}"#
                ),
                ResponseRow("/v1/thumbnail application/json", content),
            ]
        }
    }()
}
