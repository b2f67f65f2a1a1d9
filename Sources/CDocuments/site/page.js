'use strict'
// The page at `/`. Text of a response reaches the document as text nodes only; the policy of the page forbids the rest.

const $ = id => document.getElementById(id)
const encoder = new TextEncoder()
const base = new URL('.', location.href)
const maxEditedBytes = 200_000, maxShownBytes = 24_000_000, batch = 100, maxOpenRows = 250
const important = ['serializer', 'profile', 'nulls', 'lenient', 'duplicates', 'thumbnail']
const examples = JSON.parse($('data').textContent)

/** The response: `text` is what the editor shows, and `bytes` is what is sent. */
let source = { bytes: new Uint8Array(), text: '' }
/** Text that a person entered, and that a file, an example or a URL replaced. */
let replaced = ''
/** The fields and the path of an example, and the URL to fetch; `path` is also what a hint can set. */
let extra = { fields: {}, path: '', url: '' }
let definitions = [], tokens = false, running, current, shownView = '', language = 'curl'
const chosen = new Map()

function el(name, attributes, ...children) {
  const node = document.createElement(name)
  for (const key in attributes) {
    const value = attributes[key]
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value)
    else if (value === true) node.setAttribute(key, '')
    else if (value !== undefined && value !== false) node.setAttribute(key, value)
  }
  node.append(...children.filter(child => child || child === 0))
  return node
}
const button = (text, onclick, kind) => el('button', { type: 'button', class: kind, onclick }, text)
let pauseAt = 0
/** Lets the browser work after each 12 ms of a loop. */
async function pauseIfLate() {
  if (performance.now() < pauseAt) return
  await new Promise(resume => setTimeout(resume))
  pauseAt = performance.now() + 12
}
const plural = (n, word) => `${n} ${word}${n > 1 ? 's' : ''}`
const size = n => n < 1000 ? `${n} bytes` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`
const problemLink = code => el('a', { href: `problems/${code}` }, el('code', {}, code))

// MARK: The source

const isMessage = text => /^HTTP\/\d/.test(text)
const asText = bytes => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch { return null }
}

/** An editor turns CR LF into LF, but the lines of a head end with CR LF. */
function wireText(text) {
  if (!isMessage(text) || /^[^\n]*\r\n/.test(text)) return text
  let head = '', rest = text
  while (isMessage(rest)) {
    const end = rest.indexOf('\n\n')
    head += (end < 0 ? rest : rest.slice(0, end + 2)).replaceAll('\n', '\r\n')
    rest = end < 0 ? '' : rest.slice(end + 2)
  }
  return head + rest
}

function setBytes(bytes, name, type) {
  const text = bytes.length <= maxEditedBytes ? asText(bytes) : null
  if (source.url) URL.revokeObjectURL(source.url)
  if (source.isEntered && source.text.trim()) replaced = source.text
  $('restore').hidden = !replaced
  source = { bytes, text, name, type }
  extra = { fields: {}, path: '', url: '' }
  $('text').hidden = text === null
  $('card').hidden = text !== null
  $('text').value = text ?? ''
  if (text === null) showCard()
  if (type !== undefined) $('type').value = type
  showForm()
}

function showCard() {
  const { bytes, name, type } = source
  source.url = URL.createObjectURL(new Blob([bytes], { type }))
  const rows = [el('div', {}, el('b', {}, name || 'Pasted text'), el('span', { class: 'note' }, size(bytes.length)), el('span', { class: 'space' }),
    el('a', { class: 'plain', href: source.url, download: fileName() }, 'Save'), button('Remove', () => { clear(); $('text').focus() }, 'plain'))]
  if (type?.startsWith('image/')) {
    rows.push(el('img', { src: source.url, alt: name }))
  } else {
    let start = ''
    for (const byte of bytes.subarray(0, 1200)) {
      start += byte === 10 || byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte === 13 ? '' : '\\x' + byte.toString(16).padStart(2, '0')
    }
    rows.push(el('pre', {}, start + (bytes.length > 1200 ? '…' : '')))
  }
  $('card').replaceChildren(...rows)
}

function clear() {
  setBytes(new Uint8Array(), '', '')
  select(null)
  update()
}

async function readFile(file) {
  const before = source
  try {
    const content = await file.arrayBuffer()
    if (source !== before) return
    resetRequest()
    setBytes(new Uint8Array(content), file.name, file.type)
    source.isFile = true
    run()
  } catch (error) {
    showText(`The file cannot be read: ${error.message}`, true)
  }
}

/** The message whose head gives the status and the type, so that the fields for them have no effect. */
function showForm() {
  const message = path() === 'v1/normalize/message', fetching = Boolean(extra.url)
  $('form').textContent = message ? 'raw message' : fetching ? 'from the URL' : ''
  for (const id of ['status', 'type']) $(id).disabled = message || fetching
  $('status').placeholder = message || fetching ? 'received' : '200'
  $('type').placeholder = message || fetching ? 'received' : 'from the content'
}

const isEmpty = () => !source.bytes.length && !extra.url && !extra.path
const path = () => extra.path || (isMessage(source.text ?? new TextDecoder().decode(source.bytes.subarray(0, 8))) ? 'v1/normalize/message' : 'v1/normalize')

// MARK: The options

const value = name => chosen.get(name) ?? ''

function setOption(name, text) {
  if (text === '') chosen.delete(name)
  else chosen.set(name, text)
  const field = $('options').querySelector(`[data-option="${CSS.escape(name)}"]`)
  if (field) {
    field.classList.toggle('set', chosen.has(name))
    field.show(text)
  } else if (text !== '') addOption(name)
}

function addOption(name) {
  const option = definitions.find(option => option.name === name)
  if (!option) return
  const byDefault = option.default ?? option.derivedDefault ?? '', list = option.list && name !== 'serializer'
  const title = `${option.summary}${byDefault === '' ? '' : ` Default: ${byDefault}.`}`
  const changed = text => { setOption(name, text); update() }
  const choices = option.values ?? (option.type === 'boolean' ? ['true', 'false'] : null)
  let control, show, field
  if (list) {
    const names = choices.filter(choice => choice !== 'none'), summary = el('summary', { title })
    const boxes = names.map(choice => el('input', { type: 'checkbox', value: choice,
      onchange: () => changed(boxes.filter(box => box.checked).map(box => box.value).join(',')) }))
    control = el('details', { class: 'multi', onkeydown: event => {
      if (event.key === 'Escape') { control.open = false; summary.focus() }
    } }, summary, el('div', {}, ...boxes.map((box, index) => el('label', {}, box, names[index]))))
    show = text => {
      const set = text.split(',')
      for (const box of boxes) box.checked = set.includes(box.value)
      summary.textContent = text || byDefault
      summary.setAttribute('aria-label', `${name}: ${text || byDefault}`)
    }
    field = el('div', { class: 'field', 'data-option': name }, name, control)
  } else {
    if (choices) {
      const short = byDefault.length > 12 ? 'default' : byDefault
      control = el('select', { title, onchange: () => changed(control.value) }, el('option', { value: '' }, short),
        ...choices.filter(choice => choice !== short).map(choice => el('option', {}, choice)))
      show = text => {
        if (![...control.options].some(row => row.value === text)) control.append(el('option', {}, text))
        control.value = text
      }
    } else {
      control = el('input', { title, placeholder: byDefault.length > 24 ? 'default' : byDefault,
        spellcheck: 'false', autocomplete: 'off', oninput: () => changed(control.value.trim()) })
      show = text => { if (control.value.trim() !== text) control.value = text }
    }
    field = el('label', { 'data-option': name }, name, control)
  }
  field.show = show
  $('options').append(field)
  field.classList.toggle('set', chosen.has(name))
  show(value(name))
  $('more').querySelector(`[value="${CSS.escape(name)}"]`)?.remove()
}

function resetRequest() {
  chosen.clear()
  for (const field of [...$('options').children]) {
    const name = field.dataset.option
    if (important.includes(name)) setOption(name, '')
    else { field.remove(); $('more').append(el('option', { value: name }, name)) }
  }
  $('status').value = $('type').value = ''
  select(null)
}

// MARK: The request

function makeRequest() {
  const query = [...chosen].map(([name, text]) => `${name}=${encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%2F', '/')}`)
  const fields = []
  let method = 'POST', target = path(), body = source.bytes
  if (extra.url) {
    [method, target, body] = ['GET', 'v1/fetch', null]
    query.unshift(`url=${encodeURIComponent(extra.url)}`)
  } else if (target.endsWith('/message')) {
    fields.push(['Content-Type', 'application/http'])
  } else {
    if ($('status').value.trim()) fields.push(['Upstream-Status', $('status').value.trim()])
    if ($('type').value.trim()) fields.push(['Content-Type', $('type').value.trim()])
    fields.push(...Object.entries(extra.fields))
  }
  const url = new URL(target, base).href + (query.length ? `?${query.join('&')}` : '')
  return { method, url, fields, body }
}

let timer
function update() {
  clearTimeout(timer)
  showForm()
  if (isEmpty()) return showNothing()
  showCalls()
  if (!extra.url && source.bytes.length <= maxEditedBytes) timer = setTimeout(run, 300)
}

async function run() {
  clearTimeout(timer)
  running?.abort()
  if (isEmpty()) return showNothing()
  const controller = running = new AbortController(), request = makeRequest(), headers = new Headers()
  document.body.classList.add('busy')
  showForm()
  showCalls()
  const started = performance.now()
  try {
    for (const [name, text] of request.fields) headers.set(name, text)
    if ($('token').value) headers.set('Authorization', `Bearer ${$('token').value.trim()}`)
    const response = await fetch(request.url, { method: request.method, headers, body: request.body, signal: controller.signal })
    if (!/json/.test(response.headers.get('Content-Type'))) throw new Error(`${response.status} ${response.statusText}`)
    const content = await response.arrayBuffer(), milliseconds = performance.now() - started
    const text = new TextDecoder().decode(content), bytes = content.byteLength
    const result = { text, bytes, sent: request.body, facts: {}, nodes: new Map(), tree: bytes <= maxShownBytes ? await parse(text) : null }
    if (result.tree) await read(result)
    if (!controller.signal.aborted) show(result, milliseconds)
  } catch (error) {
    if (controller.signal.aborted) return
    showText(`The request failed: ${error.message}`, true)
  } finally {
    if (controller === running) document.body.classList.remove('busy')
  }
}

// MARK: JSON with its digits

/** The values of a JSON text in document order. A number stays the text that it is, so that no digit is lost. */
async function parse(text) {
  const tree = { text, start: [], end: [], name: [], next: [], count: [], parent: [], indexes: new Map() }
  const { start, end, name, next, count, parent } = tree, open = [], word = /[^\s,\]}]+/y
  let i = 0, key = -1, steps = 0
  const add = (from, to) => {
    const top = open[open.length - 1]
    if (top !== undefined) count[top]++
    start.push(from); end.push(to); name.push(key); count.push(0); parent.push(top ?? -1); next.push(start.length)
    key = -1
  }
  while (i < text.length) {
    if ((++steps & 2047) === 0) await pauseIfLate()
    const c = text.charCodeAt(i)
    if (c <= 32 || c === 44 || c === 58) i++
    else if (c === 34) {
      const from = i
      i = stringEnd(text, i)
      const top = open[open.length - 1]
      if (top !== undefined && key < 0 && text.charCodeAt(start[top]) === 123) key = from
      else add(from, i)
    } else if (c === 123 || c === 91) { add(i++, 0); open.push(start.length - 1) }
    else if (c === 125 || c === 93) {
      const top = open.pop()
      end[top] = ++i
      next[top] = start.length
    } else {
      word.lastIndex = i
      const to = i + word.exec(text)[0].length
      add(i, to)
      i = to
    }
  }
  return tree
}

function stringEnd(text, from) {
  for (let i = from + 1; ;) {
    i = text.indexOf('"', i)
    if (i < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(i - 1 - slashes) === 92) slashes++
    i++
    if (slashes % 2 === 0) return i
  }
}

const raw = (tree, node) => tree.text.slice(tree.start[node], tree.end[node])
const nameOf = (tree, node) => tree.name[node] < 0 ? '' : JSON.parse(tree.text.slice(tree.name[node], stringEnd(tree.text, tree.name[node])))
const first = (tree, node) => tree.text[tree.start[node]]
const isContainer = (tree, node) => '{['.includes(first(tree, node))
function* children(tree, node) {
  for (let child = node + 1; child < tree.next[node]; child = tree.next[child]) yield child
}

/** The members by name, or the elements by number, for the warnings of large values. */
async function indexOf(tree, node) {
  let index = tree.indexes.get(node), n = 0
  if (!index) {
    tree.indexes.set(node, index = new Map())
    for (const child of children(tree, node)) {
      if ((n & 2047) === 0) await pauseIfLate()
      index.set(tree.name[child] < 0 ? `${n}` : nameOf(tree, child), child)
      n++
    }
  }
  return index
}

/** Reads the members of a response other than the value, and finds the values that its warnings are about. */
async function read(result) {
  const { tree, facts, nodes } = result
  for (const child of children(tree, 0)) {
    const name = nameOf(tree, child)
    if (name === 'value') result.value = child
    else facts[name] = JSON.parse(raw(tree, child))
  }
  if (result.value === undefined) return
  for (const warning of facts.warnings?.slice(0, 200) ?? []) nodes.set(warning, await locate(tree, result.value, warning.at))
}

/** Finds the value that a warning is about, or the nearest one that contains it. */
async function locate(tree, root, at) {
  let node = root
  if (at?.pointer === undefined && !at?.path) return null
  const steps = at.pointer !== undefined
    ? at.pointer.split('/').slice(1).map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    : at.path.split('/').slice(1).flatMap(step => { const [, name, index] = /^(.*?)(?:\[(\d+)\])?$/.exec(step); return index ? [name, `#${index - 1}`] : [name] })
  for (const step of steps) {
    const isArray = first(tree, node) === '['
    if (step[0] === '#' && !isArray) continue
    const child = isContainer(tree, node) ? (await indexOf(tree, node)).get(step[0] === '#' ? step.slice(1) : step) : undefined
    if (child === undefined) break
    node = child
  }
  return node
}

// MARK: The tree

const kinds = { '"': 's', t: 'l', f: 'l', n: 'l' }

function scalar(tree, node) {
  const text = raw(tree, node), shown = text.length > 300 ? text.slice(0, 200) + '…' : text
  const parts = [el('span', { class: kinds[text[0]] ?? 'd' }, shown)]
  if (shown !== text) parts.push(el('span', { class: 'fold' }, ` ${size(text.length)} `), button('show', event => {
    event.stopPropagation()
    parts[0].textContent = text
    parts[1].remove(); parts[2].remove()
  }, 'link'))
  return parts
}

/** One line, and the lines in it as soon as it is opened. */
function row(view, node, isLast, pointer) {
  const { tree } = view, container = isContainer(tree, node), comma = isLast ? '' : ','
  const line = el('div', { class: 'row' })
  const item = el('div', { role: 'treeitem', tabindex: '-1', 'aria-level': pointer.split('/').length }, line)
  if (tree.name[node] >= 0 && node !== view.root) {
    line.append(el('span', { class: 'n' }, tree.text.slice(tree.name[node], stringEnd(tree.text, tree.name[node]))), ': ')
  }
  if (!container) line.append(...scalar(tree, node), comma)
  else {
    const opening = first(tree, node), closing = opening === '{' ? '}' : ']', n = tree.count[node]
    if (!n) line.append(opening + closing + comma)
    else {
      const inside = view.inside.get(node)
      line.append(opening, el('span', { class: 'fold' }, ` ${plural(n, opening === '{' ? 'member' : 'element')}${inside ? ', ' + plural(inside, 'warning') : ''} `, closing + comma))
      item.setAttribute('aria-expanded', 'false')
      item.end = el('div', { class: 'row end' }, closing + comma)
      item.open = () => {
        if (!item.group) {
          item.group = el('div', { role: 'group' })
          item.group.iterator = children(tree, node)
          item.done = 0
          grow()
        }
        item.group.hidden = false
        item.setAttribute('aria-expanded', 'true')
      }
      const grow = () => {
        const isArray = opening === '['
        for (let step = 0; step < batch; step++) {
          const { value: child, done } = item.group.iterator.next()
          if (done) return
          const part = isArray ? item.done : nameOf(tree, child).replaceAll('~', '~0').replaceAll('/', '~1')
          item.group.append(row(view, child, ++item.done === n, `${pointer}/${part}`))
        }
        if (item.done === n) return
        const more = el('div', { role: 'treeitem', tabindex: '-1', class: 'more' }, button(`show ${Math.min(batch, n - item.done)} more of ${n - item.done}`, () => { more.remove(); grow() }, 'link row'))
        more.querySelector('button').tabIndex = -1
        item.group.append(more)
      }
      item.close = () => { item.group.hidden = true; item.setAttribute('aria-expanded', 'false') }
    }
  }
  const kind = view.kinds?.[pointer] ?? view.kinds?.[pointer.replace(/^\/\d+/, '/*')]
  if (kind) line.append(el('span', { class: 'kind' }, kind))
  for (const warning of view.notes.get(node) ?? []) line.append(note(warning))
  if (item.end) {
    item.append(item.end)
    const show = item.open
    item.open = () => { show(); item.insertBefore(item.group, item.end) }
  }
  return item
}

/** Opens lines level by level, as long as they are few. */
function openRows(item) {
  let rows = 1
  for (const queue = [item]; queue.length && rows < maxOpenRows;) {
    const next = queue.shift()
    if (!next.open) continue
    next.open()
    rows += next.group.children.length
    queue.push(...[...next.group.children].filter(child => child.open && child.group === undefined))
  }
}

function treeOf(tree, root, label, nodes = [], hints) {
  const view = { tree, root, notes: new Map(), inside: new Map(), kinds: hints }, elsewhere = []
  for (const [warning, node] of nodes) {
    if (node === null) { elsewhere.push(warning); continue }
    view.notes.set(node, [...view.notes.get(node) ?? [], warning])
    for (let up = node; up >= root; up = tree.parent[up]) view.inside.set(up, (view.inside.get(up) ?? 0) + 1)
  }
  const first = row(view, root, true, '')
  first.tabIndex = 0
  const list = el('div', { class: 'tree', role: 'tree', 'aria-label': label, onclick: event => {
    const item = event.target.closest('[role=treeitem]')
    if (!item || event.target.closest('button, a, .warning') || !event.target.closest('.row')) return
    focusRow(item)
    if (item.open && !String(getSelection())) item.getAttribute('aria-expanded') === 'true' ? item.close() : item.open()
  }, onkeydown: moveInTree }, first)
  openRows(first)
  return [listOf(elsewhere), list].filter(Boolean)
}

function focusRow(item) {
  const tree = item.closest('[role=tree]')
  for (const other of tree.querySelectorAll('[tabindex="0"][role=treeitem]')) other.tabIndex = -1
  item.tabIndex = 0
  item.focus()
}

/** The keys of a tree (ARIA Authoring Practices). */
function moveInTree(event) {
  const item = event.target.closest('[role=treeitem]')
  if (!item || event.target !== item || event.ctrlKey || event.metaKey || event.altKey) return
  const isOpen = item.getAttribute('aria-expanded') === 'true'
  const rows = () => [...item.closest('[role=tree]').querySelectorAll('[role=treeitem]')].filter(row => row.offsetParent)
  const step = by => { const all = rows(); return all[all.indexOf(item) + by] }
  let target
  switch (event.key) {
    case 'ArrowDown': target = step(1); break
    case 'ArrowUp': target = step(-1); break
    case 'ArrowRight': if (item.open && !isOpen) item.open(); else if (isOpen) target = step(1); break
    case 'ArrowLeft': if (isOpen) item.close(); else target = item.parentElement.closest('[role=treeitem]'); break
    case 'Home': target = rows()[0]; break
    case 'End': target = rows().pop(); break
    case 'Enter': case ' ': if (item.open) isOpen ? item.close() : item.open(); else item.querySelector('button')?.click(); break
    default: return
  }
  event.preventDefault()
  if (target) focusRow(target)
}

const listOf = warnings => warnings?.length && el('div', { class: 'warnings' }, ...warnings.map(note))
function note(warning) {
  return el('span', { class: 'warning', role: 'note' }, warning.message, warning.at?.line && ', at ', positionOf(warning.at), ' ', problemCode(warning.code))
}
const problemCode = code => code ? el('code', {}, code) : ''

/** The position as a button that selects it in the editor. */
function positionOf(at) {
  if (!at?.line) return ''
  const text = `line ${at.line}, column ${at.column}`
  return source.text && !at.in && path() === 'v1/normalize' ? button(text, () => selectPosition(at), 'link') : text
}

function selectPosition(at) {
  const prefix = new TextDecoder('utf-8', { ignoreBOM: true }).decode(source.bytes.subarray(0, at.byte)).replaceAll('\r\n', '\n'), start = prefix.length
  const [word] = /^(?:"(?:\\.|[^"\\\n])*"?|[\w.+-]+|[^]|)/u.exec(editor.value.slice(start, start + 200))
  // Only another editor tells the height of the lines before the position, because long lines are wrapped.
  const copy = editor.cloneNode()
  copy.value = prefix
  copy.style.height = 0
  editor.after(copy)
  const height = copy.scrollHeight
  copy.remove()
  editor.focus()
  editor.setSelectionRange(start, start + word.length)
  editor.scrollTop = height - editor.clientHeight / 2
}

// MARK: The result

function showNothing() {
  running?.abort()
  document.body.classList.remove('busy')
  showText('The result appears here. Choose an example to see one.')
  $('calls').hidden = true
}

function showText(text, isFailure) {
  current = null
  $('views').replaceChildren()
  $('summary').replaceChildren(isFailure ? el('span', { class: 'badge bad' }, 'Failed') : '')
  $('output').replaceChildren(el('p', { class: 'empty' }, text))
}

function show(result, milliseconds) {
  current = result
  const { tree, facts } = result
  const isProblem = Boolean(facts.chain)
  const about = isProblem ? [`cause: ${facts.cause}`] : [facts.serializer, facts.upstream?.mediaType,
    facts.omitted && `${facts.omitted} omitted`,
    facts.nullsDropped && plural(facts.nullsDropped, 'null') + ' dropped',
    facts.warnings && plural(facts.warnings.length, 'warning')]
  $('summary').replaceChildren(el('span', { class: isProblem ? 'badge bad' : 'badge' }, isProblem ? `${facts.status} problem` : facts.outcome ?? 'response'),
    [...about, `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`].filter(Boolean).join(' · '))
  const views = isProblem ? { Problem: showProblem } : { Value: showValue }
  if (tree) views.Response = () => treeOf(tree, 0, 'Response')
  tabs($('views'), views, shownView === 'Response' ? 'Response' : Object.keys(views)[0], name => {
    shownView = name
    $('output').replaceChildren(...views[name]())
  })
  if (facts.status === 401 && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) $('token').focus()
}

function tabs(list, names, selected, choose) {
  const buttons = Object.keys(names).map(name => el('button', { type: 'button', role: 'tab', onclick: () => pick(name), onkeydown: event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step) { const next = buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length]; next.click(); next.focus() }
  } }, name))
  const pick = name => {
    for (const tab of buttons) {
      tab.setAttribute('aria-selected', tab.textContent === name)
      tab.tabIndex = tab.textContent === name ? 0 : -1
    }
    choose(name)
  }
  list.replaceChildren(...buttons)
  pick(selected)
}

function showValue() {
  const { tree, facts, value, bytes, text, nodes } = current
  if (!tree) {
    const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    return [el('p', {}, `The response is ${size(bytes)}. `, el('a', { href: url, download: 'response.json' }, 'Save it'))]
  }
  const parts = []
  if (facts.hint) parts.push(...hintsOf(facts))
  if (value === undefined) parts.push(el('p', { class: 'empty' }, 'The response has no value: its content is empty.'), listOf(facts.warnings))
  else parts.push(pictures(tree, value), ...treeOf(tree, value, 'Value', nodes, facts.hints))
  return parts.filter(Boolean)
}

function pictures(tree, value) {
  if (first(tree, value) !== '{') return null
  let list
  for (const node of children(tree, value)) if (tree.text.startsWith('"thumbnails"', tree.name[node])) list = node
  if (!list || first(tree, list) !== '[') return null
  const figures = [...children(tree, list)].slice(0, 16).map(node => {
    const { width, height, mediaType, bytes, base64 } = JSON.parse(raw(tree, node)) ?? {}
    if (typeof base64 !== 'string' || !(width > 0 && height > 0 && width + height < 9999) || !/^image\/(jpeg|png|webp)$/.test(mediaType)) return null
    return el('figure', {}, el('img', { src: `data:${mediaType};base64,${base64}`, width, height, alt: `Thumbnail, ${width} × ${height} pixels` }),
      el('figcaption', {}, `${width} × ${height}, ${mediaType}, ${size(bytes)}`))
  }).filter(Boolean)
  return figures.length ? el('div', { class: 'thumbs' }, ...figures) : null
}

function hintsOf(facts) {
  const changes = [].concat(facts.accepts ?? []), sentences = [].concat(facts.hint ?? [])
  if (!sentences.length && !changes.length) return []
  const buttons = changes.map(change => button(Object.entries(change).map(([name, text]) => name === 'path' ? `Send to ${text}` : `Set ${name} = ${text}`).join(', '), () => {
    for (const [name, text] of Object.entries(change)) {
      if (name !== 'path') setOption(name, String(text))
      else if (/^\/v1\/normalize(\/message)?$/.test(text)) extra.path = text.slice(1)
    }
    run()
    $('result').focus()
  }, 'primary'))
  return [el('div', { class: 'hint' }, el('span', {}, sentences.join('; ')), ...buttons)]
}

function showProblem() {
  const { facts, tree, value, sent, nodes } = current
  const located = [...facts.chain].reverse().find(link => link.at) ?? facts.chain[0]
  const parts = [el('div', { class: 'trouble' }, el('h3', {}, facts.title), el('p', {}, facts.detail))]
  parts.push(...hintsOf(facts))
  if (facts.code === 'response.unacceptable_type' && source.text && !$('type').value && path() === 'v1/normalize') {
    const types = ['text/csv', 'text/event-stream', 'application/x-www-form-urlencoded'].map(type => button(type, () => {
      $('type').value = type
      run()
      $('result').focus()
    }, 'plain'))
    parts.push(el('div', { class: 'hint' }, el('span', {}, 'CSV, event streams and forms are recognized by their Content-Type'), ...types))
  }
  const frame = frameOf(located, facts, sent)
  if (frame) parts.push(el('div', {}, el('h3', {}, located.at.line ? 'Position: ' : 'Position', positionOf(located.at)), frame))
  parts.push(el('div', {}, el('h3', {}, facts.chain.length > 1 ? 'Errors, outermost first' : 'Error'), stepsOf(facts.chain)))
  for (const attempt of facts.attempts ?? []) {
    parts.push(el('div', {}, el('h3', {}, `Tried as ${attempt.serializer}`), stepsOf(attempt.chain)))
  }
  if (value !== undefined) {
    parts.push(el('div', {}, el('h3', {}, 'The decoded value'), pictures(tree, value), ...treeOf(tree, value, 'Value', nodes)))
  } else parts.push(listOf(facts.warnings))
  return parts.filter(Boolean)
}

function stepsOf(chain) {
  return el('ol', { class: 'steps' }, ...chain.map(link => el('li', {}, link.message, ' ', problemLink(link.code),
    link.expected && el('small', {}, `expected ${link.expected.slice(0, 12).join(', ')}${link.expected.length > 12 ? ' …' : ''}${link.found ? `; found ${link.found}` : ''}`),
    el('small', {}, `${link.stage} · ${link.domain} ${link.domainCode}`))))
}

/** The lines around a position in what was sent, with a caret below it; otherwise the excerpt of the service. */
function frameOf(link, facts, sent) {
  const { at } = link
  if (!at) return null
  let bytes = sent
  if (!sent || at.in) bytes = null
  else if (path() === 'v1/normalize/message' && link.stage !== 'request') {
    const text = new TextDecoder('latin1').decode(sent.subarray(0, 65536))
    let body = 0
    while (isMessage(text.slice(body))) {
      const end = text.indexOf('\r\n\r\n', body)
      if (end < 0) break
      body = end + 4
    }
    bytes = /\r\ntransfer-encoding|\r\ncontent-encoding/i.test(text.slice(0, body)) ? null : sent.subarray(body)
  } else if (extra.fields['Content-Encoding']) bytes = null
  const decoder = bytes && decoderOf(bytes, facts), frame = el('pre', { class: 'frame', tabindex: '0' })
  if (!decoder || !bytes.length || at.byte > bytes.length || !at.line) {
    frame.append(link.excerpt ?? '')
    return link.excerpt ? frame : null
  }
  const add = (kind, number, ...parts) => frame.append(el('div', { class: kind }, el('i', {}, number), el('span', {}, ...parts)))
  const linesOf = (from, to) => decoder.decode(bytes.subarray(from, to)).split(/\r\n|\r|\n/)
    .map(line => line.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, '�').replaceAll('\t', ' '))
  const mark = ({ byte, line }, text) => {
    const start = Math.max(0, byte - 4096), before = linesOf(start, byte), after = linesOf(byte, byte + 1024)
    if (start && before.length > 1) before.shift()
    let left = [...before.pop()]
    const [char = ' ', ...right] = after.shift(), lines = before.slice(-2)
    if (left.length > 56) left = ['…', ...left.slice(-55)]
    lines.forEach((text, index) => add('', line - lines.length + index, text.slice(0, 110)))
    add('here', line, left.join(''), el('mark', {}, char), right.length > 60 ? right.slice(0, 59).join('') + '…' : right.join(''))
    add('here', '', el('span', { class: 'caret' }, ' '.repeat(left.length) + '^ ' + text))
    if (after[0]) add('', line + 1, after[0].slice(0, 110))
  }
  if (link.firstAt?.line) mark(link.firstAt, 'first')
  mark(at, link.expected?.length ? `expected ${link.expected.slice(0, 4).join(' or ')}` : link.message.replace(/ at byte [^]*/, ''))
  return frame
}

/** The decoder of content, or null for UTF-32, which browsers do not decode. */
function decoderOf(bytes, facts) {
  const start = String.fromCharCode(...bytes.subarray(0, 4))
  if (/^(\0\0|(\xff\xfe|[^\0]\0)\0\0)/.test(start)) return null
  if (/^(\xff\xfe|[^\0]\0)/.test(start)) return new TextDecoder('utf-16le')
  if (/^(\xfe\xff|\0)/.test(start)) return new TextDecoder('utf-16be')
  const charset = facts.upstream?.charset ?? /charset="?([\w.:-]+)/i.exec($('type').value)?.[1]
  try { if (charset) return new TextDecoder(charset) } catch { }
  return new TextDecoder(asText(bytes.subarray(0, 4096)) === null ? 'windows-1252' : 'utf-8')
}

// MARK: The same call

const languages = { curl: 1, Python: 1, JavaScript: 1 }

function showCalls() {
  $('calls').hidden = isEmpty()
  if (isEmpty()) return
  tabs($('languages'), languages, language, name => {
    language = name
    const request = makeRequest(), isUnsaved = request.body && !source.isFile && quoted(request) === null
    $('call').textContent = (isUnsaved ? `${name === 'JavaScript' ? '//' : '#'} Save the content as "${fileName()}" first.\n` : '')
      + { curl: asCurl, Python: asPython, JavaScript: asJavaScript }[name](request)
  })
}

const maxQuotedBytes = 4000
/** The content as text, if it can be in the code of a call. */
const quoted = request => request.body && request.body.length <= maxQuotedBytes ? asText(request.body) : null
const fileName = () => source.name || (path().endsWith('/message') ? 'response.http' : 'response')
const shell = text => /[\0-\x08\x0b-\x1f\x7f]/.test(text)
  ? `$'${text.replace(/[\\']/g, '\\$&').replace(/[\0-\x1f\x7f]/g, c => ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[c] ?? '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0')).replace(/\\r\\n(?=.)/g, "\\r\\n'\\\n$$'")}'`
  : `'${text.replaceAll("'", "'\\''")}'`
const literal = value => JSON.stringify(value).replace(/[\u2028\u2029\x7f-\x9f]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
const lacksType = request => request.body && !request.fields.some(([name]) => name === 'Content-Type')
const fieldsOf = request => tokens ? [...request.fields, ['Authorization', null]] : request.fields

function asCurl(request) {
  const text = quoted(request), fields = fieldsOf(request).map(([name, value]) => value === null ? '-H "Authorization: Bearer $DECANT_TOKEN"' : `-H ${shell(`${name}: ${value}`)}`)
  if (lacksType(request)) fields.push(`-H 'Content-Type:'`)
  const body = request.body && (text === null ? `--data-binary ${shell('@' + fileName())}` : `--data-raw ${shell(text)}`)
  return ['curl ' + shell(request.url), ...fields, body].filter(Boolean).join(' \\\n    ')
}

function asPython(request) {
  const text = quoted(request)
  const fields = fieldsOf(request).map(([name, value]) => `    ${literal(name)}: ${value === null ? '"Bearer " + os.environ["DECANT_TOKEN"]' : literal(value)},`)
  if (lacksType(request)) fields.push('    "Content-Type": "application/octet-stream",')
  const body = request.body && (text === null ? `open(${literal(fileName())}, "rb").read()` : `${literal(text)}.encode()`)
  return [`import json${tokens ? ', os' : ''}, urllib.error, urllib.request`, '', ...(body ? [`content = ${body}`] : []),
    `request = urllib.request.Request(${literal(request.url)}${body ? ', content' : ''}, headers={`, ...fields, '})', 'try:',
    '    result = json.load(urllib.request.urlopen(request))', 'except urllib.error.HTTPError as error:',
    '    result = json.load(error)  # a problem: branch on result["cause"]', 'print(json.dumps(result, indent=2))', ''].join('\n')
}

function asJavaScript(request) {
  const text = quoted(request)
  const fields = fieldsOf(request).map(([name, value]) => `    ${literal(name)}: ${value === null ? '`Bearer ${process.env.DECANT_TOKEN}`' : literal(value)},`)
  const body = request.body && (text === null ? `readFileSync(${literal(fileName())})` : `new TextEncoder().encode(${literal(text)})`)
  return [...(request.body && text === null ? ["import { readFileSync } from 'node:fs'", ''] : []), `const response = await fetch(${literal(request.url)}, {`, `  method: ${literal(request.method)},`,
    ...(fields.length ? ['  headers: {', ...fields, '  },'] : []), ...(body ? [`  body: ${body},`] : []), '})',
    'const result = await response.json() // a problem has result.cause', 'console.log(result)', ''].join('\n')
}

// MARK: The examples

function select(button) {
  for (const chip of $('examples').children) chip.setAttribute('aria-pressed', chip === button)
}

function showExample({ name, request }, chip) {
  resetRequest()
  const [target, query] = request.target.split('?'), fields = { ...request.fields }
  const bytes = request.base64 ? Uint8Array.from(atob(request.base64), c => c.charCodeAt(0)) : encoder.encode(request.content)
  const type = target.endsWith('/message') ? '' : fields['Content-Type'] ?? ''
  $('status').value = fields['Upstream-Status'] ?? ''
  setBytes(bytes, `${name}.${type.split(/[/+;]/)[1]?.replace('jpeg', 'jpg') ?? 'http'}`, type)
  delete fields['Content-Type']
  delete fields['Upstream-Status']
  extra.fields = fields
  for (const [name, text] of new URLSearchParams(query ?? '')) setOption(name, text)
  select(chip)
  if (innerWidth < 960) $('source').scrollIntoView()
  run()
}

// MARK: Start

async function start() {
  for (const example of examples) $('examples').append(el('button', { type: 'button', 'aria-pressed': 'false', onclick: event => showExample(example, event.currentTarget) }, example.title))
  const get = async path => (await fetch(new URL(path, base), { headers: { Accept: 'application/json' } })).json()
  try {
    const [index, list] = await Promise.all([get('.'), get('v1/serializers')])
    definitions = list.options.filter(option => option.name !== 'view')
    for (const type of new Set(list.serializers.flatMap(row => row.mediaTypes.default))) {
      if (/^[\w.+-]+\/[\w.+-]+$/.test(type)) $('types').append(el('option', { value: type }))
    }
    for (const { name } of definitions) $('more').append(el('option', { value: name }, name))
    important.forEach(addOption)
    $('version').textContent = `Decant ${index.version}`
    tokens = index.endpoints.some(row => row.path === '/v1/normalize' && row.permissions)
    $('token-field').hidden = !tokens
    $('url-form').hidden = !index.endpoints.some(row => row.path === '/v1/fetch')
  } catch (error) {
    showText(`The service did not respond: ${error.message}`, true)
  }
}

function enter(text) {
  resetRequest()
  setBytes(encoder.encode(wireText(text)), '', '')
  run()
}

const editor = $('text')
let pasted = ''
editor.addEventListener('paste', event => {
  const [file] = event.clipboardData.files, text = event.clipboardData.getData('text/plain')
  // Spreadsheets add an image of the text.
  if (file && !(text && file.name === 'image.png')) { event.preventDefault(); readFile(file) }
  else if (text.length > maxEditedBytes) { event.preventDefault(); enter(text) }
  else pasted = text
})
editor.addEventListener('input', () => {
  const text = wireText(pasted.replaceAll('\r\n', '\n') === editor.value ? pasted : editor.value)
  pasted = ''
  source = { bytes: encoder.encode(text), text, isEntered: true }
  extra = { fields: {}, path: '', url: '' }
  select(null)
  update()
})
for (const id of ['status', 'type']) $(id).addEventListener('input', () => { select(null); update() })
$('token').addEventListener('change', () => { if (current) run() })
$('restore').addEventListener('click', () => { enter(replaced); source.isEntered = true; editor.focus() })
$('choose').addEventListener('click', () => $('file').click())
$('file').addEventListener('change', () => { const [file] = $('file').files; $('file').value = ''; if (file) readFile(file) })
$('run').addEventListener('click', () => { run(); if (innerWidth < 960) $('result').scrollIntoView() })
$('url-form').addEventListener('submit', event => {
  event.preventDefault()
  if (!$('url').value.trim()) return
  resetRequest()
  setBytes(new Uint8Array(), '', '')
  extra.url = $('url').value.trim()
  run()
})
$('more').addEventListener('change', () => {
  addOption($('more').value)
  $('more').value = ''
  $('options').lastElementChild.querySelector('select, input, summary').focus()
})
$('copy').addEventListener('click', async () => {
  try { await navigator.clipboard.writeText($('call').textContent); $('copy').textContent = 'Copied' } catch {
    getSelection().selectAllChildren($('call'))
    $('copy').textContent = 'Selected'
  }
  setTimeout(() => { $('copy').textContent = 'Copy' }, 1500)
})
document.addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run() } })
document.addEventListener('click', event => { for (const open of document.querySelectorAll('.multi[open]')) if (!open.contains(event.target)) open.open = false })
let depth = 0
const isFiles = event => event.dataTransfer.types.includes('Files')
addEventListener('dragenter', event => { if (isFiles(event)) { event.preventDefault(); depth++; document.body.classList.add('dropping') } })
addEventListener('dragleave', event => { if (isFiles(event) && --depth <= 0) { depth = 0; document.body.classList.remove('dropping') } })
/** Text can be moved into fields and within them, as everywhere. */
const isDropped = event => {
  const isHandled = isFiles(event) || !/INPUT|TEXTAREA/.test(event.target.tagName)
  if (isHandled) event.preventDefault()
  return isHandled
}
addEventListener('dragover', isDropped)
addEventListener('drop', event => {
  if (!isDropped(event)) return
  depth = 0
  document.body.classList.remove('dropping')
  const [file] = event.dataTransfer.files
  if (file) readFile(file)
})
start()
