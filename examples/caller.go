// Calls Decant with the standard library only: go run examples/caller.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// post sends content. A rejection is a response too: its content is application/problem+json.
func post(path string, content []byte, mediaType string, fields ...string) (*http.Response, []byte) {
	request, err := http.NewRequest("POST", base()+path, bytes.NewReader(content))
	check(err)
	request.Header.Set("Content-Type", mediaType)
	for index := 0; index+1 < len(fields); index += 2 {
		request.Header.Set(fields[index], fields[index+1])
	}
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(err)
	return response, body
}

// The parts of an answer and of a problem that this program uses.
type result struct {
	Code         string
	Cause        string
	Retryable    bool
	Accepts      map[string]string
	Upstream     struct{ Status int }
	NullsDropped int
	Value        struct {
		Name, Error string
		Tags        []string
		RSS         struct {
			Channel struct {
				Item []struct{ Title string }
			}
		}
		Oriented   size
		Thumbnails []size
	}
	Chain []struct {
		Code string
		At   struct{ Byte int }
	}
}

// advice returns what a caller does about a problem: it branches on retryable, then on cause.
func advice(problem result) string {
	if problem.Retryable { // after upstream.retryAfter or the field Retry-After, if there is one
		return "try again later"
	}
	switch problem.Cause {
	case "upstream-status":
		return fmt.Sprintf("handle the status %d", problem.Upstream.Status)
	case "content", "type":
		return "tell the upstream"
	case "request", "access":
		return "correct this caller"
	case "limit":
		return "raise the limit, or do without"
	default: // "fetch", "service", and those that a later version adds
		return "tell the operator"
	}
}

type size struct{ Width, Height int }

func (size size) String() string { return fmt.Sprintf("%dx%d", size.Width, size.Height) }

func postJSON(path string, content []byte, mediaType string, fields ...string) (result result) {
	_, body := post(path, content, mediaType, fields...)
	check(json.Unmarshal(body, &result))
	return result
}

func main() {
	_, file, _, _ := runtime.Caller(0)
	photo, err := os.ReadFile(filepath.Join(filepath.Dir(file), "photo.jpg"))
	check(err)

	answer := postJSON("/v1/normalize", []byte(`{"name": "Ann", "email": null, "tags": ["a", "b"]}`), "application/json")
	fmt.Printf("JSON: %s has %d tags, nulls dropped: %d\n", answer.Value.Name, len(answer.Value.Tags), answer.NullsDropped)

	feed := `<rss version="2.0"><channel><title>News</title><item><title>One</title></item></channel></rss>`
	items := postJSON("/v1/normalize", []byte(feed), "application/rss+xml").Value.RSS.Channel.Item
	fmt.Printf("XML: items: %d, the first is %s\n", len(items), items[0].Title)

	target := "/v1/normalize?thumbnail=64x64&thumbnail=32x32,fit=cover"
	image := postJSON(target, photo, "image/jpeg").Value
	fmt.Printf("image: %s, thumbnails: %s, %s\n", image.Oriented, image.Thumbnails[0], image.Thumbnails[1])

	problem := postJSON("/v1/normalize", []byte(`{"error": `), "application/json", "Upstream-Status", "500")
	var codes []string
	for _, link := range problem.Chain {
		codes = append(codes, link.Code)
	}
	byteOffset := problem.Chain[1].At.Byte
	fmt.Printf("error: %s (%s), at byte %d: %s\n", problem.Cause, strings.Join(codes, ", "), byteOffset, advice(problem))

	problem = postJSON("/v1/normalize", []byte("[1, 2,]"), "application/json")
	query := url.Values{} // the option that was tried with this content
	for name, value := range problem.Accepts {
		query.Set(name, value)
	}
	_, body := post("/v1/normalize?"+query.Encode(), []byte("[1, 2,]"), "application/json")
	var repaired struct{ Value []int }
	check(json.Unmarshal(body, &repaired))
	fmt.Printf("content: %s: %s; with %s: %d elements\n", problem.Code, advice(problem), query.Encode(), len(repaired.Value))

	envelope := `{"status": 404, "headers": [["content-type", "application/json"]], "body": {"text": "{\"error\": \"no such user\"}"}}`
	problem = postJSON("/v1/normalize/envelope", []byte(envelope), "application/json")
	fmt.Printf("envelope: %s, value: %s: %s\n", problem.Code, problem.Value.Error, advice(problem))

	response, content := post("/v1/thumbnail?thumbnail=120x120,format=png", photo, "image/jpeg")
	source := response.Header.Get("Decant-Width") + "x" + response.Header.Get("Decant-Height")
	isPNG := string(content[1:4]) == "PNG"
	fmt.Printf("thumbnail: %s of an image of %s, is PNG: %t\n", response.Header.Get("Content-Type"), source, isPNG)
}

func base() string {
	if address := os.Getenv("DECANT_URL"); address != "" {
		return address
	}
	return "http://127.0.0.1:8080"
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
