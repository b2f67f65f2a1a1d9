import Serialization
import Testing

@testable import Service

@Suite struct AcceptFieldTests {
    @Test(
        arguments: [
            // An empty or unreadable field.
            ("", .byImage), (",, ", .byImage), ("image", .byImage), ("/", .byImage), ("image/png;q=x", .byImage),
            ("image/png;q=", .byImage), ("image/png;q=2", .byImage), ("image/png;q=1e-1", .byImage),
            // A single format.
            ("image/png", .format(.png)), ("IMAGE/JPEG", .format(.jpeg)), ("image/jpg", .format(.jpeg)),
            ("text/html, image/webp", .format(.webp)), ("image/webp;q=0.001", .format(.webp)),
            // The highest weight.
            ("image/png;q=0.2,image/webp;q=0.3,image/jpeg;q=0.1", .format(.webp)),
            ("image/png; q=0.5 , image/jpeg ;q=0.9", .format(.jpeg)), ("image/webp;q=0.9,*/*", .byImage),
            ("image/jpeg;q=1.000, image/png;q=0.999", .format(.jpeg)),
            // A more specific range takes precedence over a wider one, regardless of its weight.
            ("image/*;q=1, image/jpeg;q=0.5, image/png;q=0.5", .format(.webp)),
            ("image/*;q=0, */*", .none), ("image/png, image/*;q=0", .format(.png)),
            ("image/jpeg;q=0, */*", .format(.webp)), ("image/webp;q=0, */*", .byImage),
            ("image/png;q=0, image/webp;q=0, */*;q=0.1", .format(.jpeg)),
            // With equal weights, a named format takes precedence over a range.
            ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", .format(.webp)),
            ("image/png,*/*", .format(.png)),
            // With equal weights of named formats: the format that suits the image, or WebP.
            ("image/webp, image/png, image/jpeg", .byImage), ("image/png,image/jpeg", .byImage),
            ("image/jpeg, image/webp", .format(.webp)), ("image/webp,image/png", .format(.webp)),
            // No supported format.
            ("application/json", .none), ("image/gif", .none), ("*/*;q=0", .none), ("image/png;q=0.000", .none),
            // A parameter makes a range narrower than the type; parameters after the weight do not.
            ("image/png;level=1", .none), ("image/png;q=1;level=1", .format(.png)),
            ("image/gif;comment=\", image/png, \"", .none), ("image/gif;comment=\"\\\",\", image/png", .format(.png)),
            // Media types of problems are ignored: a problem is sent in any case.
            ("application/problem+json", .byImage), ("application/problem+json;q=0", .byImage),
            ("application/problem+xml, application/problem+json", .byImage),
            ("image/png, application/problem+json", .format(.png)), ("application/problem+json, image/gif", .none),
            ("image/jpeg, image/png, image/webp, application/problem+json", .byImage),
            // The default of Java.
            ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", .format(.jpeg)), ("*", .byImage),
            ("*;q=0", .none),
        ] as [(String, AcceptField.ThumbnailChoice)]
    )
    func `chooses a format for a thumbnail`(field: String, choice: AcceptField.ThumbnailChoice) {
        #expect(AcceptField(parsing: field).thumbnailChoice == choice)
    }

    @Test func `parses ranges, weights and parameters`() {
        let ranges = AcceptField(parsing: "Image/PNG;q=0.25, text/*;level=1, */*;Q=0").ranges
        #expect(
            ranges == [
                AcceptField.Range(essence: "image/png", weight: 0.25),
                AcceptField.Range(essence: "text/*", isNarrowed: true), AcceptField.Range(essence: "*/*", weight: 0),
            ]
        )
    }

    /// 1 500 ranges took 6.5 million instructions on an HTTP thread.
    @Test func `the first 256 elements are read`() {
        let field = String(repeating: "a/b,", count: 255)
        #expect(AcceptField(parsing: field + "image/png").ranges.count == 256)
        #expect(AcceptField(parsing: field + "a/b,image/png").ranges.allSatisfy { $0.essence == "a/b" })
    }
}
