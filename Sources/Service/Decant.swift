@main struct Decant {
    static func main() {}
}
