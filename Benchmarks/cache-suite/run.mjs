// Runs the public tests of caches against an adapter, and counts the behaviours. A behaviour whose precondition is
// missing does not count.
//
//   node run.mjs SUITE BASE [TEST]
//
// SUITE is a checkout of http-tests/cache-tests, for example: run.mjs ~/cache-tests http://127.0.0.1:21201

import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [suite, base, id] = process.argv.slice(2)
const load = file => import(pathToFileURL(path.resolve(suite, file)))
const { default: all } = await load('tests/index.mjs')
const { runTests, getResults } = await load('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await load('test-engine/lib/results.mjs')

// What POST /v1/fetch cannot express, so that the cache is not tested by it.
const adapterSuites = { partial: 'Range', interim: 'interim responses' }
const names = new Map(Object.entries(resultTypes).map(([name, symbol]) => [symbol, name]))

function select () {
  if (!id) return all
  return all.map(set => ({ ...set, tests: set.tests.filter(test => test.id === id) }))
}

const log = console.log
if (!id) console.log = () => {}
if (id) select().forEach(set => set.tests.forEach(test => { test.dump = true }))
// The runner reports failures of its own requests, which are results too.
console.error = () => {}
await runTests(select(), false, base, Number(process.env.CHUNK ?? 25))
console.log = log

const results = getResults()
const totals = {}
const missed = []
for (const set of select()) {
  for (const test of set.tests) {
    if (test.browser_only) continue
    const kind = test.kind ?? 'required'
    const result = names.get(determineTestResult(all, test.id, results, !id))
    const total = totals[kind] ??= { passed: 0, tests: 0 }
    total.tests += 1
    if (result === 'pass' || result === 'yes') {
      total.passed += 1
    } else if (kind !== 'check' || process.env.CHECKS) {
      const detail = Array.isArray(results[test.id]) ? results[test.id][1] : ''
      missed.push({ kind, set: set.id, id: test.id, result, detail, adapter: adapterSuites[set.id] })
    }
  }
}
for (const { kind, set, id, result, detail, adapter } of missed) {
  log(`${kind.padEnd(8)} ${set}/${id}: ${adapter ? `adapter (${adapter})` : result}${detail ? `: ${detail}` : ''}`)
}
for (const [kind, { passed, tests }] of Object.entries(totals)) log(`${kind}: ${passed} of ${tests}`)
process.exit(0)
