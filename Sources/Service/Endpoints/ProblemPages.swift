internal import HTTP
internal import Serialization

/// `GET /problems` and `GET /problems/{code}`: the pages to which the member `type` of problems refers.
///
/// They have the style sheet of the reference, and no script.
struct ProblemPages: Sendable {
    /// Whether the service has the pages at `/` and `/docs`, to which these pages then refer.
    let refersToPages: Bool

    func index() -> Response {
        var rows = ""
        for code in ProblemCode.allCases {
            let type = code.definition.type
            rows +=
                "<tr><td><a href=\"\(PublicURL.reference("/problems/\(code.rawValue)"))\">"
                + "<code>\(code.rawValue)</code></a></td>"
                + "<td>\(type.status)</td><td>\(Self.escaped(type.title))</td></tr>\n"
        }
        return page(
            title: "Problems",
            "<table class=\"list\">\n<tr><th scope=\"col\">Code</th><th scope=\"col\">Status</th>"
                + "<th scope=\"col\">Title</th></tr>\n\(rows)</table>"
        )
    }

    func page(for code: ProblemCode) -> Response {
        let definition = code.definition
        let type = definition.type
        return page(
            title: type.title,
            """
            <h2>Meaning</h2>
            <p>\(Self.escaped(definition.meaning))</p>
            <h2>Remedy</h2>
            <p>\(Self.escaped(definition.remedy))</p>
            <h2>Example</h2>
            <pre tabindex="0">\(Self.escaped(ProblemExamples.recorded[code] ?? ProblemExamples.constructed(code)))</pre>
            <h2>Facts</h2>
            <table>
            <tr><th scope="row">Code</th><td><code>\(code.rawValue)</code></td></tr>
            <tr><th scope="row">HTTP status</th><td>\(type.status)</td></tr>
            <tr><th scope="row">Stage</th><td>\(type.stage.rawValue)</td></tr>
            <tr><th scope="row">Domain</th><td><code>\(type.domain.rawValue)</code> \(type.domainCode)</td></tr>
            </table>
            <p><a href="\(PublicURL.reference("/problems"))">All problems</a></p>
            """
        )
    }

    private func page(title: String, _ body: String) -> Response {
        let start = PublicURL.reference("/")
        let reference = refersToPages ? "<a href=\"\(PublicURL.reference("/docs"))\">Reference</a>" : ""
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Self.escaped(title)) · Decant</title>
            <link rel="icon" href="data:,">
            <style>\(Self.style.text)</style>
            </head>
            <body>
            <header class="top">
            <a class="brand" href="\(start)"><svg viewBox="0 0 24 24" aria-hidden="true">\
            <rect width="24" height="24" rx="6"/><path d="M6 7h12l-4.6 5.6V18h-2.8v-5.4z"/></svg>Decant</a>
            <nav aria-label="Documents">\(reference)<a href="\(PublicURL.reference("/problems"))">Problems</a>\
            <a href="\(PublicURL.reference("/openapi.yaml"))">OpenAPI</a></nav>
            </header>
            <div class="docs article">
            <main>
            <h1>\(Self.escaped(title))</h1>
            \(body)
            </main>
            </div>
            </body>
            </html>

            """
        return Response(
            status: 200,
            contentType: "text/html; charset=utf-8",
            fields: [
                .cacheable,
                HeaderFields.Field(
                    name: "Content-Security-Policy",
                    value: "default-src 'none'; style-src \(Self.style.source); img-src data:; base-uri 'none'; "
                        + "form-action 'none'; frame-ancestors 'none'"
                ),
            ],
            content: OutputBuffer(html.utf8)
        )
    }

    /// The style sheet, and its source expression in a policy.
    private static let style: (text: String, source: String) = {
        let style = unsafe WebPage.compact(Array(EmbeddedFile.siteStyle) + Array(EmbeddedFile.referenceStyle))
        return (String(decoding: style, as: UTF8.self), WebPage.source(style))
    }()

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
