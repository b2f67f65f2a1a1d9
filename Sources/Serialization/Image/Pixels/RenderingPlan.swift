/// What one decode must give: which pictures, from how much of the image.
struct RenderingPlan {
    /// One a thumbnail, then the one for the summary, where there is one.
    private(set) var pictures: [ThumbnailPlan]
    let hasSummary: Bool
    /// How many times smaller the image may be decoded: 1, 2, 4 or 8.
    private(set) var reduction = 1

    /// What a band of rows has in memory, about, in bytes.
    static let bandBytes = 64 << 10

    private let width: Int
    private let height: Int

    /// - Parameter width: the image's, in pixels, as it is coded; so is `height`.
    init(_ request: RenderingRequest, width: Int, height: Int) {
        self.width = width
        self.height = height
        pictures = request.thumbnails.map {
            ThumbnailPlan($0, width: width, height: height, orientation: request.orientation)
        }
        hasSummary = !request.placeholders.isEmpty || request.phash
        if hasSummary {
            let box = ThumbnailRequest(width: PictureSample.maxSide, height: PictureSample.maxSide)
            pictures.append(ThumbnailPlan(box, width: width, height: height, orientation: request.orientation))
        }
        if request.decode == .full { return }
        // Every picture is still made of twice its size at least.
        while reduction < 8, pictures.allSatisfy({ $0.shrink >= Double(4 * reduction) }) { reduction *= 2 }
    }

    /// How many pixels of the image become one, at least, in any picture.
    var leastShrink: Double {
        pictures.reduce(.infinity) { min($0, $1.shrink) }
    }

    /// What is held beside the source, in bytes.
    /// - Throws: `tooLarge`.
    func checkedBytes(max: Int) throws(RenderingError) -> Int {
        // The rows at most: a reduction makes them shorter.
        let format = RowFormat(width: width, height: height, layout: .rgba16)
        var bytes = RowPipeline.predictedBytes(format, pictures) + Swift.max(Self.bandBytes, format.rowBytes)
        for picture in pictures {
            // The picture, once more when it is turned, put on a canvas, and encoded.
            let area = picture.canvas.map { $0.width * $0.height } ?? picture.width * picture.height
            bytes += 12 * Swift.max(area, picture.width * picture.height)
        }
        guard bytes <= max else { throw .tooLarge(bytes: bytes, max: max) }
        return bytes
    }
}
