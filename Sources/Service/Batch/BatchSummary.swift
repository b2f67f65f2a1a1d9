internal import HTTP
internal import Serialization

/// The last line of the output of a batch.
struct BatchSummary: Sendable {
    var counts = BatchCounts()
    /// The parts of the input that are not items, by type.
    var skipped: [String: Int] = [:]
    /// The problem of the first input that could not be read to its end, as JSON; `nil` if there is none.
    var problem: [UInt8]?

    /// `{"summary":{"items":2,"failed":1,"skipped":{"request":2},"complete":true}}`
    var line: SharedBytes {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.name("summary")
        writer.beginObject()
        writer.member("items", counts.items)
        writer.member("failed", counts.failed)
        writer.name("skipped")
        writer.beginObject()
        for (type, count) in skipped.sorted(by: { $0.key < $1.key }) {
            writer.name(type)
            writer.integer(count)
        }
        writer.endObject()
        writer.member("complete", problem == nil)
        if let problem {
            writer.name("problem")
            writer.raw(problem)
        }
        writer.endObject()
        writer.endObject()
        var line = writer.finish()
        line.append(UInt8(ascii: "\n"))
        return SharedBytes(line)
    }

    /// The same for a person, without the problem.
    var sentence: String {
        let items = "\(counts.items) \(counts.items == 1 ? "item" : "items")"
        let skipped = skipped.values.reduce(0, +)
        return "\(items), \(counts.failed) failed" + (skipped > 0 ? ", \(skipped) other records skipped" : "")
            + (problem == nil ? "." : "; the input is incomplete.")
    }
}
