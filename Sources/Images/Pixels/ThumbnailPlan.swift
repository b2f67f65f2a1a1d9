package import Serialization

/// The part of an image that becomes a thumbnail, and the thumbnail's size, in the image's own orientation.
package struct ThumbnailPlan: Equatable, Sendable {
    /// The part, in pixels of the image.
    package var left = 0.0
    package var top = 0.0
    package var sourceWidth: Double
    package var sourceHeight: Double
    /// The size of the result, in pixels.
    package var width: Int
    package var height: Int
    /// The canvas for the oriented picture; `nil` if it is not larger than the picture.
    package var canvas: Canvas?
    /// The maximum of the longest side, in pixels.
    let maxSide: Int

    package struct Canvas: Equatable, Sendable {
        package var width: Int
        package var height: Int
    }

    var longestSide: Int { canvas.map { max($0.width, $0.height) } ?? max(width, height) }

    /// The number of image pixels per pixel, in the direction in which it is lower. Below 1, the image is enlarged.
    package var shrink: Double { min(sourceWidth / Double(width), sourceHeight / Double(height)) }

    /// - Parameters:
    ///   - width: The width of the image as coded, in pixels; likewise `height`.
    ///   - orientation: 1 to 8. The request applies to the oriented image.
    package init(_ request: ThumbnailRequest, width: Int, height: Int, orientation: Int) {
        let isTurned = orientation >= 5 && orientation <= 8
        let boxWidth = isTurned ? request.height : request.width
        let boxHeight = isTurned ? request.width : request.height
        maxSide = request.maxSide
        sourceWidth = Double(width)
        sourceHeight = Double(height)
        let across = Double(boxWidth) / sourceWidth
        let along = Double(boxHeight) / sourceHeight
        let most = request.enlarge ? Double.infinity : 1

        switch request.fit {
        case .inside, .contain:
            let scale = min(across, along, most)
            self.width = Self.pixels(sourceWidth * scale)
            self.height = Self.pixels(sourceHeight * scale)
            if request.fit == .contain, self.width != boxWidth || self.height != boxHeight {
                canvas = Canvas(width: request.width, height: request.height)
            }
        case .outside:
            let scale = min(max(across, along), most)
            self.width = Self.pixels(sourceWidth * scale)
            self.height = Self.pixels(sourceHeight * scale)
        case .fill:
            self.width = request.enlarge ? boxWidth : min(boxWidth, width)
            self.height = request.enlarge ? boxHeight : min(boxHeight, height)
        case .cover:
            let scale = min(max(across, along), most)
            self.width = min(boxWidth, Self.pixels(sourceWidth * scale))
            self.height = min(boxHeight, Self.pixels(sourceHeight * scale))
            sourceWidth = min(sourceWidth, Double(self.width) / scale)
            sourceHeight = min(sourceHeight, Double(self.height) / scale)
            left = (Double(width) - sourceWidth) / 2
            top = (Double(height) - sourceHeight) / 2
        }
    }

    /// Returns the nearest integer, and at least one.
    private static func pixels(_ length: Double) -> Int {
        // A side has at most 2^32 pixels and is enlarged at most 2048 times, so this does not overflow.
        max(1, Int(length.rounded()))
    }
}
