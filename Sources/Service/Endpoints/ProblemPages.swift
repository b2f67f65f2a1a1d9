internal import HTTP
internal import Serialization

/// `GET /problems` and `GET /problems/{code}`: the pages to which the member `type` of problems refers.
enum ProblemPages {
    static func index() -> Response {
        var rows = ""
        for code in ProblemCode.allCases {
            let type = code.definition.type
            rows +=
                "<tr><td><a href=\"/problems/\(code.rawValue)\"><code>\(code.rawValue)</code></a></td>"
                + "<td>\(type.status)</td><td>\(escaped(type.title))</td></tr>\n"
        }
        return page(title: "Problems", "<table>\n<tr><th>Code</th><th>Status</th><th>Title</th></tr>\n\(rows)</table>")
    }

    static func page(for code: ProblemCode) -> Response {
        let definition = code.definition
        let type = definition.type
        return page(
            title: type.title,
            """
            <h2>Meaning</h2>
            <p>\(escaped(definition.meaning))</p>
            <h2>Remedy</h2>
            <p>\(escaped(definition.remedy))</p>
            <h2>Example</h2>
            <pre>\(escaped(ProblemExamples.recorded[code] ?? ProblemExamples.constructed(code)))</pre>
            <table>
            <tr><th>Code</th><td><code>\(code.rawValue)</code></td></tr>
            <tr><th>HTTP status</th><td>\(type.status)</td></tr>
            <tr><th>Stage</th><td>\(type.stage.rawValue)</td></tr>
            <tr><th>Domain</th><td><code>\(type.domain.rawValue)</code> \(type.domainCode)</td></tr>
            </table>
            <p><a href="/problems">All problems</a></p>
            """
        )
    }

    private static func page(title: String, _ body: String) -> Response {
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(escaped(title)) · Decant</title>
            <style>body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}\
            th{text-align:left;padding-right:1rem}pre{overflow:auto}</style>
            </head>
            <body>
            <h1>\(escaped(title))</h1>
            \(body)
            </body>
            </html>

            """
        return Response(
            status: 200,
            contentType: "text/html; charset=utf-8",
            fields: [.cacheable, .contentSecurityPolicy],
            content: OutputBuffer(html.utf8)
        )
    }

    private static func escaped(_ text: String) -> String {
        var html = ""
        for character in text {
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            default: html.append(character)
            }
        }
        return html
    }
}

extension HeaderFields.Field {
    /// The pages contain a style sheet, and refer to no other resources.
    fileprivate static let contentSecurityPolicy = HeaderFields.Field(
        name: "Content-Security-Policy",
        value: "default-src 'none'; style-src 'unsafe-inline'"
    )
}
