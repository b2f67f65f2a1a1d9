internal import Serialization

/// The plan of one decode: the pictures to create, and the reduction of the image.
struct RenderingPlan {
    /// The pictures: one per thumbnail, then the one for the summary, if there is one.
    private(set) var pictures: [ThumbnailPlan]
    let hasSummary: Bool
    /// The factor by which the image may be reduced when it is decoded: 1, 2, 4 or 8.
    private(set) var reduction = 1

    /// The approximate memory for a band of rows, in bytes.
    static let bandBytes = 64 << 10

    private let width: Int
    private let height: Int

    /// - Parameter width: The width of the image as coded, in pixels; likewise `height`.
    init(_ request: RenderingRequest, width: Int, height: Int) {
        self.width = width
        self.height = height
        pictures = request.thumbnails.map {
            ThumbnailPlan($0, width: width, height: height, orientation: request.orientation)
        }
        hasSummary = !request.placeholders.isEmpty || request.phash
        if hasSummary {
            let box = ThumbnailRequest(width: RGBAImage.maxSampleSide, height: RGBAImage.maxSampleSide)
            pictures.append(ThumbnailPlan(box, width: width, height: height, orientation: request.orientation))
        }
        if request.decode == .full { return }
        // Every picture is still created from at least twice its size.
        while reduction < 8, pictures.allSatisfy({ $0.shrink >= Double(4 * reduction) }) { reduction *= 2 }
    }

    /// The minimum number of image pixels per pixel of any picture.
    var leastShrink: Double { pictures.reduce(.infinity) { min($0, $1.shrink) } }

    /// Returns the memory in addition to the source, in bytes.
    /// - Throws: `tooLarge`, and `unsupported` for a side that no format has.
    func checkedBytes(max: Int) throws(RenderingError) -> Int {
        // The caller knows only the size in the header, from which that of the decoder may differ.
        for picture in pictures where picture.longestSide > picture.maxSide {
            throw .unsupported(feature: "thumbnails with a side of more than \(picture.maxSide) pixels")
        }
        // The longest possible rows: a reduction makes them shorter.
        let format = RowFormat(width: width, height: height, layout: .rgba16)
        var bytes = RowPipeline.predictedBytes(format, pictures) + Swift.max(Self.bandBytes, format.rowBytes)
        for picture in pictures {
            // The picture, with copies when it is rotated, placed on a canvas, and encoded.
            let area = picture.canvas.map { $0.width * $0.height } ?? picture.width * picture.height
            bytes += 12 * Swift.max(area, picture.width * picture.height)
        }
        guard bytes <= max else { throw .tooLarge(bytes: bytes, max: max) }
        return bytes
    }
}
