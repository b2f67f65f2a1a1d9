extension FormReason: TextErrorReason {
    package var remedies: [Remedy.Candidate] {
        switch self {
        case .invalidEncoding: [.otherCharsetOfEscapes]
        case .unsupportedCharset, .keyTooLong, .tooManyMembers, .outOfMemory: []
        }
    }

    package var diagnostic: Diagnostic {
        switch self {
        case .invalidEncoding(let encoding):
            Diagnostic(.formInvalidEncoding, "a name or value is not valid \(encoding.uppercased())")
        case .unsupportedCharset(let label): .unsupportedCharset(label)
        case .keyTooLong(let max):
            Diagnostic(.formKeyTooLong, "a name has more than \(max) bytes", atMost: "\(max) bytes")
        case .tooManyMembers(let max):
            Diagnostic(.formTooManyMembers, "the form has more than \(max) different names", atMost: "\(max) names")
        case .outOfMemory: .outOfMemory
        }
    }
}
