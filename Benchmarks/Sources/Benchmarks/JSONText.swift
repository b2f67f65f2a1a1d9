/// JSON text being put together, byte for byte as a recipe says it.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes `open`, elements until the text is `count` bytes long, `separator` between them, and `close`.
    mutating func addElements(
        _ open: String = "[",
        _ close: String = "]",
        separator: String = ",",
        untilBytes count: Int = 1_000_000,
        _ element: (inout JSONText, Int) -> Void
    ) {
        add(open)
        var index = 0
        while bytes.count < count {
            if index > 0 { add(separator) }
            element(&self, index)
            index += 1
        }
        add(close)
    }
}
