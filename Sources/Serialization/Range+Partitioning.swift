extension Range<Int> {
    /// Returns the first index for which `belongs` is true, as it is for all indices after it; the upper bound if it is
    /// true for none. This is a binary search.
    @inlinable @inline(__always) package func partitioningIndex(where belongs: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
