import Serialization
import Testing

@Suite struct SerializationErrorTests {
    @Test func `errors of serializers are equal if they have the same type and content`() {
        let location = SourceLocation(byte: 1)
        let error = SerializationError(JSONError(.outOfMemory, at: location))
        #expect(error == SerializationError(JSONError(.outOfMemory, at: location)))
        #expect(error != SerializationError(JSONError(.outOfMemory, at: SourceLocation(byte: 2))))
        #expect(error != SerializationError(FormError(.outOfMemory, at: location)))
        #expect(error != .outOfMemory)
    }

    @Test func `the error of a serializer keeps its type`() {
        let error = ImageError(.truncated, at: 7)
        #expect(SerializationError(error).contentError as? ImageError == error)
        #expect(SerializationError.outOfMemory.contentError == nil)
    }
}
