internal import CDocuments

/// The files that the program contains. C embeds them, because Swift takes half a minute to compile an array literal of
/// their size.
enum EmbeddedFile {
    /// The contract in YAML.
    static var openAPI: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_openapi_yaml()) }

    /// The contract in JSON.
    static var openAPIInJSON: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_openapi_json()) }

    /// The examples of problems, in the form that ``ProblemExamples/recorded`` describes.
    static var problemExamples: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_problem_examples()) }

    /// Returns the bytes of `file`, which are constants of the program, and therefore always valid.
    private static func bytes(of file: cdocuments_file) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: file.start, count: file.count)
    }
}
