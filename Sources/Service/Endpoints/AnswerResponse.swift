internal import Serialization

/// From the serializer's answer, or its refusal, to HTTP.
enum AnswerResponse {
    /// - Parameter amend: what an endpoint adds to a problem.
    static func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        with serializer: ResponseSerializer,
        requestID: RequestID,
        amend: (inout Problem) -> Void = { _ in }
    ) -> Response {
        let start = MonotonicClock.nanoseconds()
        do {
            let answer = try serializer.serialize(response, content: content)
            var response = success(answer, view: serializer.options.view)
            response.decodingNanoseconds = MonotonicClock.nanoseconds() &- start
            return response
        } catch {
            var problem = Problem(error)
            amend(&problem)
            var response = problem.response(requestID: requestID.text)
            response.decodingNanoseconds = MonotonicClock.nanoseconds() &- start
            return response
        }
    }

    private static func success(_ answer: consuming Answer, view: AnswerView) -> Response {
        switch view {
        case .full:
            return Response(status: 200, contentType: "application/json", content: answer.takeJSON())
        case .value:
            var fields: [HeaderFields.Field] = [
                HeaderFields.Field(name: "Decant-Outcome", value: answer.outcome.rawValue),
                HeaderFields.Field(name: "Decant-Serializer", value: answer.serializer.rawValue),
                HeaderFields.Field(name: "Decant-Upstream-Status", value: String(answer.upstream.status)),
            ]
            if let codes = warningCodes(answer.warnings) {
                fields.append(HeaderFields.Field(name: "Decant-Warnings", value: codes))
            }
            return switch answer.outcome {
            case .value:
                Response(status: 200, contentType: "application/json", fields: fields, content: answer.takeJSON())
            case .empty:
                Response(status: 204, contentType: nil, fields: fields, content: OutputBuffer(capacity: 0))
            }
        }
    }

    /// Longest `Decant-Warnings`, in bytes.
    private static let maxWarningBytes = 1 << 10

    /// The codes, each once, as far as they fit.
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
