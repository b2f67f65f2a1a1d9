import Serialization
import SerializationSupport

/// The JSON reader's result for `content`.
struct JSONReading: Equatable {
    var text: String
    var nullsDropped = 0
    var encoding = UnicodeEncoding.utf8.rawValue
    var warnings: [Warning] = []
}

func read(
    _ content: [UInt8],
    charset: String? = nil,
    _ configure: (inout JSONReader.Options) -> Void = { _ in }
) throws(JSONError) -> JSONReading {
    var options = JSONReader.Options()
    configure(&options)
    var writer = JSONWriter()
    var warnings = WarningList(max: options.limits.maxWarnings)
    let summary = try JSONReader.read(
        content.span,
        options: options,
        charset: charset,
        into: &writer,
        warnings: &warnings
    )
    return JSONReading(
        text: String(decoding: [UInt8](writer.buffer), as: UTF8.self),
        nullsDropped: summary.nullsDropped,
        encoding: summary.encoding,
        warnings: warnings.warnings
    )
}

func read(_ text: String, _ configure: (inout JSONReader.Options) -> Void = { _ in }) throws(JSONError) -> JSONReading {
    try read(Array(text.utf8), configure)
}

/// Returns the error with which `content` is rejected, or `nil` if it is accepted.
func refusal(
    of content: [UInt8],
    charset: String? = nil,
    _ configure: (inout JSONReader.Options) -> Void = { _ in }
) -> JSONError? {
    do throws(JSONError) {
        _ = try read(content, charset: charset, configure)
        return nil
    } catch {
        return error
    }
}

func refusal(of text: String, _ configure: (inout JSONReader.Options) -> Void = { _ in }) -> JSONError? {
    refusal(of: Array(text.utf8), configure)
}
