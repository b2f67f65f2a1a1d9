extension PropertyListObject {
    /// The source's type where JSON has none like it: strings, booleans, arrays, dictionaries and null are what they look like.
    var hint: StaticString? {
        switch kind {
        case .integer, .integerText: "integer"
        case .real32, .real64: "real"
        case .date, .dateText: "date"
        case .data: "data"
        case .uid: "uid"
        case .uuid: "uuid"
        case .url: "url"
        case .set: "set"
        case .orderedSet: "ordered-set"
        case .null, .false, .true, .ascii, .utf8, .utf16, .array, .dictionary: nil
        }
    }
}
