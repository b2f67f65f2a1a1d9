extension CSVReason: TextErrorReason {
    package var remedies: [Remedy.Candidate] {
        switch self {
        case .invalidEncoding, .unsupportedCharset: [.otherCharset, .lenient]
        case .tooFewFields, .tooManyFields: [.lenient]
        case .unterminatedQuote, .textAfterQuote: [.backslashEscapes, .noQuotes]
        case .keyTooLong, .tooManyColumns, .expansionTooLarge, .outOfMemory: []
        }
    }

    package var diagnostic: Diagnostic {
        switch self {
        case .invalidEncoding(let encoding):
            Diagnostic(.csvInvalidEncoding, "the content is not valid \(encoding.uppercased())")
        case .unsupportedCharset(let label): .unsupportedCharset(label)
        case .unterminatedQuote:
            Diagnostic(
                .csvUnterminatedQuote,
                "no quote ends the field that begins with a quote",
                expected: ["a quote before the end of the content"]
            )
        case .textAfterQuote(let delimiter):
            Diagnostic(
                .csvTextAfterQuote,
                "the quote that ends a field is followed by text",
                expected: ["'\(Unicode.Scalar(delimiter).escaped(asASCII: true))'", "a line end", "a quote"]
            )
        case .tooFewFields(let count, let columns):
            Diagnostic(
                .csvTooFewFields,
                "the record has \(count.fields) instead of \(columns)",
                expected: [columns.fields]
            )
        case .tooManyFields(let columns):
            Diagnostic(
                .csvTooManyFields,
                "the record has more than \(columns.fields)",
                expected: [columns.fields]
            )
        case .keyTooLong(let max):
            Diagnostic(.csvKeyTooLong, "a name in the header has more than \(max) bytes", atMost: "\(max) bytes")
        case .tooManyColumns(let max):
            Diagnostic(.csvTooManyColumns, "the header has more than \(max) names", atMost: "\(max) names")
        case .expansionTooLarge(let max):
            Diagnostic(
                .csvExpansionTooLarge,
                "the names of the header, repeated in each record, would make the value longer than \(max) bytes",
                atMost: "\(max) bytes"
            )
        case .outOfMemory: .outOfMemory
        }
    }
}

extension Int {
    fileprivate var fields: String { self == 1 ? "1 field" : "\(self) fields" }
}
