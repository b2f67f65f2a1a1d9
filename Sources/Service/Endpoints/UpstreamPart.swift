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
    func replaced(by facts: UpstreamFacts, in content: SharedContent) -> (content: SharedContent, part: UpstreamPart) {
        var writer = JSONWriter(capacity: range.count + 256)
        writer.upstream(facts)
        var text = writer.finish()
        text.shrink()
        let part = UpstreamPart(range: range.lowerBound..<range.lowerBound + text.count, facts: facts)
        return (content.replacing(range, with: SharedBytes(text)), part)
    }
}
