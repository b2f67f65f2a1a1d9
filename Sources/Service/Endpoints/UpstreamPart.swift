internal import HTTP
internal import Serialization

/// The object `upstream` in a response, which can be replaced by a newer one.
final class UpstreamPart: Sendable {
    /// The range of its JSON text in the content.
    let range: Range<Int>
    let facts: UpstreamFacts

    init(range: Range<Int>, facts: UpstreamFacts) {
        self.range = range
        self.facts = facts
    }

    /// Returns `content` with another object in place of this one, and that object.
    func replaced(by facts: UpstreamFacts, in content: SharedBytes) -> (content: SharedBytes, part: UpstreamPart) {
        var writer = JSONWriter(capacity: range.count + 256)
        writer.upstream(facts)
        let text = writer.finish()
        var new = OutputBuffer(capacity: content.count - range.count + text.count)
        content.withBytes { bytes in
            new.append(bytes.extracting(..<range.lowerBound))
            text.withBytes { new.append($0) }
            new.append(bytes.extracting(range.upperBound...))
        }
        let start = range.lowerBound
        return (SharedBytes(new), UpstreamPart(range: start..<start + text.count, facts: facts))
    }
}
