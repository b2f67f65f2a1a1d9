internal import HTTP
internal import Serialization

/// The HTTP responses to answers of the serializer.
enum AnswerResponse {
    /// Returns the response with a normalized value and, unless `view` is `value`, the facts about it.
    /// - Parameter isStored: whether the object `upstream` can be replaced later.
    static func value(_ answer: consuming Answer, view: AnswerView, isStored: Bool = false) -> Response {
        let serializer = answer.serializer
        let outcome = answer.outcome
        let nullsDropped = answer.nullsDropped
        let omitted = answer.omitted
        var response: Response
        switch view {
        case .full:
            let upstream = isStored ? answer.upstreamRange.map { UpstreamPart(range: $0, facts: answer.upstream) } : nil
            response = Response(status: 200, contentType: "application/json", content: answer.takeJSON())
            response.upstream = upstream
        case .value:
            let fields = fields(
                outcome,
                serializer,
                answer.upstream,
                answer.warnings,
                nullsDropped: nullsDropped,
                omitted: omitted
            )
            switch outcome {
            case .value:
                response = Response(
                    status: 200,
                    contentType: "application/json",
                    fields: fields,
                    content: answer.takeJSON()
                )
            case .empty:
                response = Response(status: 204, contentType: nil, fields: fields, content: OutputBuffer(capacity: 0))
            }
        }
        response.serializer = serializer
        return response
    }

    /// Returns the facts as header fields, for a response that is the value alone.
    /// - Parameter nullsDropped: `nil` for an image.
    static func fields(
        _ outcome: Answer.Outcome,
        _ serializer: SerializerKind,
        _ upstream: UpstreamFacts,
        _ warnings: [Warning],
        nullsDropped: Int? = nil,
        omitted: Int = 0
    ) -> [HeaderFields.Field] {
        var fields = [
            HeaderFields.Field(name: "Decant-Outcome", value: outcome.rawValue),
            HeaderFields.Field(name: "Decant-Serializer", value: serializer.rawValue),
            HeaderFields.Field(name: "Decant-Upstream-Status", value: String(upstream.status)),
        ]
        if let nullsDropped {
            fields.append(HeaderFields.Field(name: "Decant-Nulls-Dropped", value: String(nullsDropped)))
        }
        if omitted > 0 {
            fields.append(HeaderFields.Field(name: "Decant-Omitted", value: String(omitted)))
        }
        if let codes = warningCodes(warnings) {
            fields.append(HeaderFields.Field(name: "Decant-Warnings", value: codes))
        }
        return fields
    }

    /// The maximum length of `Decant-Warnings`, in bytes.
    private static let maxWarningBytes = 1 << 10

    /// Returns the codes of the warnings, each once, up to the maximum length.
    private static func warningCodes(_ warnings: [Warning]) -> String? {
        var seen: Set<String> = []
        var list = ""
        for warning in warnings where seen.insert(warning.code).inserted {
            let next = list.isEmpty ? warning.code : ", " + warning.code
            guard list.utf8.count + next.utf8.count <= maxWarningBytes else { break }
            list += next
        }
        return list.isEmpty ? nil : list
    }
}
