import Testing

@testable import Images
@testable import Serialization

@Suite struct RenderingErrorTests {
    /// A failed allocation was reported with the limit 9223372036854775807.
    @Test func `a failed allocation exceeds the memory that the request names`() {
        #expect(RenderingError.outOfMemory.naming(maxMemoryBytes: 5) == .tooLarge(bytes: .max, max: 5))
        let known = RenderingError.tooLarge(bytes: 4, max: 3)
        #expect(known.naming(maxMemoryBytes: 5) == known)
        #expect(RenderingError.deferred.naming(maxMemoryBytes: 5) == .deferred)
    }
}
