/// What the kernel refuses, as small as can be: the kind and the offset. ``JSONError`` tells the rest, made only once
/// something is wrong (see JSONError+Fault.swift).
struct JSONFault: Error, Equatable {
    enum Kind: Equatable {
        case expectedValue
        case expectedName
        case expectedColon
        case expectedCommaOrEndOfObject
        case expectedCommaOrEndOfArray
        case expectedRecordSeparator
        case unterminatedString
        case trailingContent
        case topLevelScalar
        case invalidNumber
        case invalidLiteral
        case invalidEscape
        case loneSurrogate
        case controlCharacter
        case invalidEncoding
        case duplicateName
        case nestingTooDeep
        case numberTooLong
        case keyTooLong
        case tooManyMembers
        case outOfMemory
    }

    var kind: Kind

    /// In bytes from the start of the text; equal to its length where the text ends too early.
    var offset: Int

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}
