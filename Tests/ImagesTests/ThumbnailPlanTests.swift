import Testing

@testable import Images
@testable import Serialization

/// The part of an image that becomes a thumbnail, and its size.
@Suite struct ThumbnailPlanTests {
    @Test(arguments: [
        // Fit, enlarge, box, size of the picture.
        (ThumbnailFit.inside, false, 256, 256, 256, 192),
        (.inside, false, 100, 10, 13, 10),
        (.inside, false, 2000, 2000, 1000, 750),
        (.inside, true, 2000, 2000, 2000, 1500),
        (.outside, false, 256, 256, 341, 256),
        (.outside, false, 2000, 2000, 1000, 750),
        (.cover, false, 256, 256, 256, 256),
        (.cover, false, 1600, 300, 1000, 300),
        (.cover, true, 1600, 300, 1600, 300),
        (.contain, false, 256, 256, 256, 192),
        (.fill, false, 50, 700, 50, 700),
        (.fill, false, 50, 800, 50, 750),
        (.fill, true, 50, 800, 50, 800),
        (.inside, false, 1, 1, 1, 1),
    ])
    func `an image of 1000 × 750 fits`(
        fit: ThumbnailFit,
        enlarge: Bool,
        boxWidth: Int,
        boxHeight: Int,
        width: Int,
        height: Int
    ) {
        let plan = plan(fit, boxWidth, boxHeight, enlarge: enlarge)
        #expect((plan.width, plan.height) == (width, height))
        // Both sides are cropped by the same amount.
        #expect(abs(plan.left * 2 + plan.sourceWidth - 1000) < 1e-9)
        #expect(abs(plan.top * 2 + plan.sourceHeight - 750) < 1e-9)
        if fit != .fill {
            let (across, along) = (plan.sourceWidth / Double(width), plan.sourceHeight / Double(height))
            // The proportions are preserved, except for the rounding of a side.
            #expect(abs(across - along) <= max(across / Double(height), along / Double(width)))
        }
    }

    @Test func `a canvas is the box in display orientation`() {
        #expect(plan(.contain, 256, 256).canvas == ThumbnailPlan.Canvas(width: 256, height: 256))
        #expect(plan(.contain, 200, 150).canvas == nil)
        let turned = plan(.contain, 300, 100, orientation: 6)
        #expect((turned.width, turned.height) == (100, 75))
        #expect(turned.canvas == ThumbnailPlan.Canvas(width: 300, height: 100))
    }

    @Test func `a box applies to the image in display orientation`() {
        let upright = plan(.inside, 75, 1000, orientation: 1)
        #expect((upright.width, upright.height) == (75, 56))
        let turned = plan(.inside, 75, 1000, orientation: 8)
        #expect((turned.width, turned.height) == (100, 75))
    }

    @Test func `a JPEG is decoded at the fraction that is at least twice every picture's size`() {
        func reduction(_ sides: Int...) -> Int {
            var request = RenderingRequest(.jpeg)
            request.thumbnails = sides.map { ThumbnailRequest(width: $0, height: $0) }
            return RenderingPlan(request, width: 3200, height: 2400).reduction
        }
        #expect(reduction(200) == 8)
        #expect(reduction(201) == 4)
        #expect(reduction(200, 400) == 4)
        #expect(reduction(800) == 2)
        #expect(reduction(801, 100) == 1)
    }

    /// The guarantee in docs/images.md, whose measurement is in Benchmarks.
    @Test(arguments: [1, 2, 3, 7, 8])
    func `an image of 20 000 × 20 000 needs rows only`(orientation: Int) throws {
        var request = RenderingRequest(.png)
        request.orientation = orientation
        request.thumbnails = [ThumbnailRequest(width: 256, height: 256)]
        let plan = RenderingPlan(request, width: 20_000, height: 20_000)
        #expect(try plan.checkedBytes(max: .max) < 3 << 20)
    }

    @Test func `a thumbnail that is too large is rejected before encoding`() throws {
        var request = RenderingRequest(.png)
        var thumbnail = ThumbnailRequest(width: 2048, height: 2048)
        thumbnail.fit = .outside
        thumbnail.enlarge = true
        request.thumbnails = [thumbnail]
        let plan = RenderingPlan(request, width: 1, height: 65_535)
        #expect(throws: RenderingError.self) { try plan.checkedBytes(max: 256 << 20) }
    }

    private func plan(
        _ fit: ThumbnailFit,
        _ width: Int,
        _ height: Int,
        enlarge: Bool = false,
        orientation: Int = 1
    ) -> ThumbnailPlan {
        var request = ThumbnailRequest(width: width, height: height)
        request.fit = fit
        request.enlarge = enlarge
        return ThumbnailPlan(request, width: 1000, height: 750, orientation: orientation)
    }
}
