// Makes Decant look like an HTTP cache: each request is sent to POST /v1/fetch, and the upstream response is rebuilt
// from `upstream`, the raw content in `value`, and `Age`. With it, the public tests of caches (http-tests/cache-tests)
// can be run against Decant.
//
//   node adapter.mjs PORT DECANT ORIGIN     for example: 21201 http://127.0.0.1:21202 http://127.0.0.1:21203
//
// Requests for /config and /state prepare the tests and go to the origin directly. What the adapter cannot translate is
// dropped: Range, which /v1/fetch does not accept, and interim responses, which it does not return.

import http from 'node:http'

const [port, decant, origin] = process.argv.slice(2)
const agent = new http.Agent({ keepAlive: true })

// Fields that /v1/fetch does not accept from callers: they frame the message or belong to the connection.
const rejected = new Set(['accept-encoding', 'connection', 'content-length', 'expect', 'forwarded', 'host', 'if-range',
  'keep-alive', 'max-forwards', 'range', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'via'])
// Fields that the connection between the client and the adapter needs for itself.
const connection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding'])

function send (url, method, headers, content) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent }, response => {
      const parts = []
      response.on('data', part => parts.push(part))
      response.on('end', () => {
        const { statusCode: status, headers, rawHeaders: raw } = response
        resolve({ status, headers, raw, content: Buffer.concat(parts) })
      })
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(content)
  })
}

function pairs (raw) {
  const result = []
  for (let i = 0; i < raw.length; i += 2) result.push([raw[i], raw[i + 1]])
  return result
}

function callOf (request, content) {
  // Node reads fields as Latin-1, and JSON has their bytes as UTF-8 does.
  const headers = pairs(request.rawHeaders)
    .filter(([name]) => !rejected.has(name.toLowerCase()) && !name.toLowerCase().startsWith('proxy-'))
    .map(([name, value]) => [name, Buffer.from(value, 'latin1').toString('utf8')])
  const call = {
    url: origin + request.url,
    method: request.method,
    headers,
    redirects: 'manual',
    retries: 0,
    options: { serializer: 'http', 'accept-status': '*', 'accept-types': '*', 'upstream-headers': 'all' }
  }
  if (process.env.PARTITION) call.partition = process.env.PARTITION
  if (content.length > 0) call.body = { base64: content.toString('base64') }
  return call
}

async function fetchThroughDecant (request, content, response) {
  const call = callOf(request, content)
  const reply = await send(`${decant}/v1/fetch`, 'POST', { 'Content-Type': 'application/json' }, JSON.stringify(call))
  const result = JSON.parse(reply.content.toString('utf8'))
  if (process.env.VERBOSE) console.error(request.method, request.url, reply.status, reply.headers['cache-status'])
  response.sendDate = false
  if (!result.upstream) {
    // A problem of the fetch, such as 504 for only-if-cached.
    const cacheStatus = reply.headers['cache-status'] ?? ''
    response.writeHead(reply.status, { 'Content-Type': 'text/plain', 'Cache-Status': cacheStatus })
    response.end(`${result.code ?? ''} ${result.detail ?? ''}`)
    return
  }
  const cacheStatus = reply.headers['cache-status'] ?? 'fwd='
  const isHit = /^decant; hit/.test(cacheStatus) || !/fwd=/.test(cacheStatus)
  const fields = result.upstream.headers.filter(([name]) => !connection.has(name.toLowerCase()))
    .map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')])
  const hasAge = fields.some(([name]) => name.toLowerCase() === 'age')
  const grouped = new Map()
  for (const [name, value] of fields) {
    if (name.toLowerCase() === 'age' && isHit) continue
    const key = name.toLowerCase()
    const group = grouped.get(key) ?? [name, []]
    group[1].push(value)
    grouped.set(key, group)
  }
  for (const [name, values] of grouped.values()) response.setHeader(name, values.length === 1 ? values[0] : values)
  if (reply.headers.age !== undefined && (isHit || !hasAge)) response.setHeader('Age', reply.headers.age)
  if (reply.headers['cache-status']) response.setHeader('Cache-Status', reply.headers['cache-status'])
  response.statusCode = result.upstream.status
  // A cache does not send more content than the length that the origin declared, and neither can this connection.
  response.end(contentOf(result))
}

function contentOf (result) {
  const value = result.value
  if (value === null || value === undefined) return Buffer.alloc(0)
  if (typeof value.text === 'string') return Buffer.from(value.text, 'utf8')
  return Buffer.from(value.base64, 'base64')
}

http.createServer((request, response) => {
  const parts = []
  request.on('data', part => parts.push(part))
  request.on('end', async () => {
    const content = Buffer.concat(parts)
    try {
      if (request.url.startsWith('/test/')) {
        await fetchThroughDecant(request, content, response)
      } else {
        const reply = await send(origin + request.url, request.method, request.headers, content)
        response.writeHead(reply.status, reply.raw)
        response.end(reply.content)
      }
    } catch (error) {
      console.error(`adapter: ${request.method} ${request.url}: ${error.stack}`)
      if (!response.headersSent) response.writeHead(502)
      response.end()
    }
  })
}).listen(Number(port), '127.0.0.1', () => console.error(`adapter: listening on ${port}`))
