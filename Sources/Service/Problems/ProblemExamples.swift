internal import Serialization

/// The examples on the pages of problems.
enum ProblemExamples {
    /// A request and the response of the service, as text, for each code that a test can provoke.
    ///
    /// `make golden` records them in `Sources/CDocuments/problem-examples.txt`. There, a line `### ` with the code
    /// precedes each example.
    static let recorded: [ProblemCode: String] = parse(
        unsafe String(decoding: EmbeddedFile.problemExamples, as: UTF8.self)
    )

    /// Returns the examples in a text of the form that ``recorded`` describes.
    static func parse(_ text: String) -> [ProblemCode: String] {
        var examples: [ProblemCode: String] = [:]
        var code: ProblemCode?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(heading) {
                code = ProblemCode(rawValue: String(line.dropFirst(heading.count)))
            } else if let code {
                examples[code, default: ""] += line + "\n"
            }
        }
        return examples
    }

    /// The start of the line that precedes an example.
    static let heading = "### "

    /// A shortened problem, for a code without a recorded example.
    static func constructed(_ code: ProblemCode) -> String {
        let type = code.definition.type
        return """
            {
              "type": "\(PublicURL.reference("/problems/" + code.rawValue))",
              "title": "\(type.title)",
              "status": \(type.status),
              "detail": "…",
              "instance": "\(Instance.urn(requestID: "0190163d-8694-739b-aea5-966c26f8ad91"))",
              "code": "\(code.rawValue)",
              "cause": "\(type.cause.rawValue)",
              "retryable": \(type.isRetryable),
              "chain": [
                {
                  "domain": "\(type.domain.rawValue)",
                  "domainCode": \(type.domainCode),
                  "code": "\(code.rawValue)",
                  "stage": "\(type.stage.rawValue)",
                  "message": "…"
                }
              ]
            }
            """
    }
}
