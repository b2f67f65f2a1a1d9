internal import Serialization

/// The flag for the format of the input of a command.
enum InputFlags: FlagTable {
    static let flags = [
        FlagDefinition(
            name: "form",
            valueName: "form",
            help:
                "Form of the input: the content of a response (direct), a raw response message or the output of "
                + "curl -i (message), or the JSON of POST /v1/normalize/envelope (envelope). "
                + "[\(InputFormat.allCases.map(\.rawValue).joined(separator: ", "))] "
                + "(default: message if the input begins with HTTP/ and a digit, and no flag describes the "
                + "response; otherwise direct)",
            completions: InputFormat.allCases.map(\.rawValue)
        )
    ]
}

/// The format in which the input of a command contains an upstream response.
enum InputFormat: String, CaseIterable, Sendable {
    case direct
    case message
    case envelope

    /// Returns the format that the flags select; `nil` if it is detected from the input.
    /// - Parameters:
    ///   - flags: the values of ``InputFlags``.
    ///   - head: the values of ``UpstreamHeadFlags``, which describe the response of the direct form.
    /// - Throws: ``CommandFailure`` for wrong usage.
    static func selected(flags: [String: String], head: [String: String]) throws(CommandFailure) -> InputFormat? {
        guard let text = flags["form"] else { return head.isEmpty ? nil : .direct }
        guard let format = InputFormat(rawValue: text) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(usage: "--form is '\(text)'; it must be one of \(names).")
        }
        switch format {
        case .direct: break
        case .message, .envelope:
            if let name = UpstreamHeadFlags.flags.map(\.name).first(where: { head[$0] != nil }) {
                throw CommandFailure(
                    usage:
                        "--\(name) is allowed only with --form direct; in the form \(text), the input contains "
                        + "the information."
                )
            }
        }
        return format
    }

    /// Returns the format of `input`, which is detected from its first bytes.
    static func detected(in input: Span<UInt8>) -> InputFormat { input.startsLikeStatusLine ? .message : .direct }
}
