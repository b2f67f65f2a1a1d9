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

    /// The page at `/`, which refers to a style sheet, a script and examples.
    static var page: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_page_html()) }

    static var pageScript: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_page_script()) }

    /// The examples of the page, as JSON that can be part of an HTML document.
    static var pageExamples: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_page_examples()) }

    /// The page at `/docs`, which refers to two style sheets and a script.
    static var reference: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_reference_html()) }

    static var referenceStyle: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_reference_style()) }

    static var referenceScript: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_reference_script()) }

    /// The style sheet of both pages.
    static var siteStyle: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_site_style()) }

    /// The picture of the examples, a JPEG.
    static var photo: UnsafeBufferPointer<UInt8> { unsafe bytes(of: cdocuments_photo()) }

    /// Returns the bytes of `file`, which are constants of the program, and therefore always valid.
    private static func bytes(of file: cdocuments_file) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: file.start, count: file.count)
    }
}
