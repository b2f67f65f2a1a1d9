// Calls Decant with Node's built-in fetch only: node examples/caller.mjs
import { readFile } from "node:fs/promises";

const base = process.env.DECANT_URL ?? "http://127.0.0.1:8080";
const photo = await readFile(new URL("photo.jpg", import.meta.url));

// A rejection is a response too: its content is application/problem+json.
function post(path, content, mediaType, fields = {}) {
  return fetch(base + path, { method: "POST", body: content, headers: { "Content-Type": mediaType, ...fields } });
}

async function postJSON(path, content, mediaType, fields) {
  return (await post(path, content, mediaType, fields)).json();
}

// What a caller does about a problem: it branches on `retryable`, then on `cause`.
function advice(problem) {
  // After problem.upstream.retryAfter or the field Retry-After, if there is one.
  if (problem.retryable) return "try again later";
  switch (problem.cause) {
    case "upstream-status":
      return `handle the status ${problem.upstream.status}`;
    case "content":
    case "type":
      return "tell the upstream";
    case "request":
    case "access":
      return "correct this caller";
    case "limit":
      return "raise the limit, or do without";
    default: // "fetch", "service", and those that a later version adds
      return "tell the operator";
  }
}

const answer = await postJSON("/v1/normalize", '{"name": "Ann", "email": null, "tags": ["a", "b"]}', "application/json");
console.log(`JSON: ${answer.value.name} has ${answer.value.tags.length} tags, nulls dropped: ${answer.nullsDropped}`);

const feed = '<rss version="2.0"><channel><title>News</title><item><title>One</title></item></channel></rss>';
const items = (await postJSON("/v1/normalize", feed, "application/rss+xml")).value.rss.channel.item;
console.log(`XML: items: ${items.length}, the first is ${items[0].title}`);

const target = "/v1/normalize?thumbnail=64x64&thumbnail=32x32,fit=cover";
const image = (await postJSON(target, photo, "image/jpeg")).value;
const sizes = image.thumbnails.map((thumbnail) => `${thumbnail.width}x${thumbnail.height}`);
console.log(`image: ${image.oriented.width}x${image.oriented.height}, thumbnails: ${sizes.join(", ")}`);

const error = await postJSON("/v1/normalize", '{"error": ', "application/json", { "Upstream-Status": "500" });
const codes = error.chain.map((link) => link.code);
console.log(`error: ${error.cause} (${codes.join(", ")}), at byte ${error.chain[1].at.byte}: ${advice(error)}`);

const broken = await postJSON("/v1/normalize", "[1, 2,]", "application/json");
const query = new URLSearchParams(broken.accepts); // {"option": "value"} that was tried with this content
const repaired = await postJSON(`/v1/normalize?${query}`, "[1, 2,]", "application/json");
console.log(`content: ${broken.code}: ${advice(broken)}; with ${query}: ${repaired.value.length} elements`);

const envelope = { status: 404, headers: [["content-type", "application/json"]], body: { text: '{"error": "no such user"}' } };
const problem = await postJSON("/v1/normalize/envelope", JSON.stringify(envelope), "application/json");
console.log(`envelope: ${problem.code}, value: ${problem.value.error}: ${advice(problem)}`);

const response = await post("/v1/thumbnail?thumbnail=120x120,format=png", photo, "image/jpeg");
const content = Buffer.from(await response.arrayBuffer());
const source = `${response.headers.get("Decant-Width")}x${response.headers.get("Decant-Height")}`;
const isPNG = content.subarray(1, 4).toString() === "PNG";
console.log(`thumbnail: ${response.headers.get("Content-Type")} of an image of ${source}, is PNG: ${isPNG}`);
