'use strict'
// The reference at `/docs`: the contract of this service, and the options that it lists.

const base = new URL('.', location.href)

function el(name, attributes, ...children) {
  const node = document.createElement(name)
  for (const key in attributes) if (attributes[key] !== undefined) node.setAttribute(key, attributes[key])
  node.append(...children.flat().filter(child => child || child === 0))
  return node
}

/** The subset of Markdown in the contract: paragraphs, lists, bold text, code and links. */
function prose(text) {
  if (!text) return []
  return text.trim().split(/\n\n+/).map(block => /^[-*] /.test(block)
    ? el('ul', {}, block.split(/\n(?=[-*] )/).map(line => el('li', {}, inline(line.slice(2)))))
    : el('p', {}, inline(block)))
}
const inline = text => text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map(part => {
  if (part[0] === '`') return el('code', {}, part.slice(1, -1))
  if (part.startsWith('**')) return el('strong', {}, inline(part.slice(2, -2)))
  const [, label, target] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? []
  return label && /^(https?:\/\/|[#\w])/.test(target) && !/^(?!https?:)\w+:/.test(target) ? el('a', { href: target }, label) : label ?? part
})

const anchor = (kind, name) => `${kind}-${name}`
const code = text => el('code', {}, text)
const list = (items, separator) => items.flatMap((item, index) => index ? [separator, item] : [item])
const table = rows => el('table', {}, el('tbody', {}, rows.map(([head, ...cells]) => el('tr', {}, el('th', { scope: 'row' }, head), cells.map(cell => el('td', {}, cell))))))

function build(contract, choices) {
  const find = node => node?.$ref ? node.$ref.slice(2).split('/').reduce((part, name) => part[name], contract) : node
  const optionNames = new Set(choices.options.map(option => option.name))
  const contents = [], parts = []

  /** The type of a schema in words, with a link to each schema that has a name. */
  function typeOf(schema) {
    if (!schema) return []
    if (schema.$ref) {
      const name = schema.$ref.split('/').pop()
      return [el('a', { href: `#${anchor('schema', name)}` }, name)]
    }
    if (schema.oneOf) return list(schema.oneOf.map(typeOf), ' or ').flat()
    if (schema.type === 'array') return ['array of ', ...typeOf(schema.items)]
    const types = [].concat(schema.type ?? 'any value').join(' or ')
    const range = [schema.minimum, schema.maximum]
    return [types, range.some(end => end !== undefined) ? `, ${range[0] ?? '…'} to ${range[1] ?? '…'}` : '',
      schema.pattern ? [', ', code(schema.pattern)] : '', schema.format ? ` (${schema.format})` : ''].flat()
  }
  function valuesOf(schema) {
    const values = schema?.enum ?? schema?.['x-extensible-enum'] ?? schema?.items?.enum
    if (!values) return []
    const shown = list(values.map(value => code(String(value))), ' ')
    return values.length > 24 ? [el('details', {}, el('summary', {}, `${values.length} values`), shown)] : [el('p', {}, shown)]
  }
  const parameter = row => [[code(row.name), row.required ? el('small', { class: 'required' }, 'required') : '', el('small', {}, typeOf(row.schema))],
    [...prose(row.description), ...valuesOf(find(row.schema))]]
  function contentOf(part) {
    return Object.entries(part?.content ?? {}).map(([type, { schema }]) => el('small', {}, code(type), ' ', typeOf(schema)))
  }
  function section(id, title, description) {
    contents.push(el('b', {}, title))
    parts.push(el('h2', { id }, title), ...prose(description))
  }
  const entry = (id, label) => contents.push(el('a', { href: `#${id}` }, label))

  parts.push(el('h1', {}, 'Reference'), el('p', { class: 'lead' }, contract.info.summary ?? ''), ...prose(contract.info.description))
  for (const tag of contract.tags) {
    section(anchor('tag', tag.name), tag.name, tag.description)
    for (const [path, item] of Object.entries(contract.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (method === 'head' || !operation.tags?.includes(tag.name)) continue
        const id = anchor('operation', operation.operationId), name = method.toUpperCase()
        entry(id, [el('span', { class: `method ${name}` }, name), path.replace(/^\/v1/, '')])
        const rows = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(find)
        const shared = rows.filter(row => row.in === 'query' && optionNames.has(row.name)), own = rows.filter(row => !shared.includes(row))
        const body = find(operation.requestBody)
        parts.push(el('div', { class: 'item', id },
          el('h3', {}, el('span', { class: 'operation' }, el('span', { class: `method ${name}` }, name), path)),
          el('p', {}, el('strong', {}, operation.summary), item.head && method === 'get' ? ' HEAD returns the fields alone.' : ''), ...prose(operation.description),
          own.length ? [el('h4', {}, 'Fields and parameters'), table(own.map(parameter))] : '',
          shared.length ? el('details', {}, el('summary', {}, `${shared.length} options`), el('div', { class: 'names' }, shared.map(row => el('a', { href: `#${anchor('option', row.name)}` }, code(row.name))))) : '',
          body ? [el('h4', {}, 'Content'), ...prose(body.description), el('p', {}, contentOf(body))] : '',
          el('h4', {}, 'Responses'), table(Object.entries(operation.responses).map(([status, response]) => {
            const found = find(response)
            return [code(status), [...prose(found.description), ...contentOf(found)]]
          }))))
      }
    }
  }

  section('options', 'Options', 'Query parameters of the endpoints that normalize, and flags of the command line with the same names.')
  for (const option of choices.options) {
    const id = anchor('option', option.name), range = option.maximum === undefined ? '' : `${option.minimum ?? 'above 0'} to ${option.maximum}`
    entry(id, option.name)
    parts.push(el('div', { class: 'item', id }, el('h3', {}, code(option.name)), el('p', {}, inline(option.summary)), table([
      ['values', option.values ? [list(option.values.map(code), ' '), option.list ? ', comma-separated' : ''].flat() : [option.type === 'boolean' ? list([code('true'), code('false')], ' ') : option.form ?? option.type, range ? `, ${range}` : ''].flat()],
      ['default', option.default === undefined ? option.derivedDefault ?? 'none' : code(option.default)]])))
  }

  section('schemas', 'Schemas', '')
  for (const [name, schema] of Object.entries(contract.components.schemas)) {
    const id = anchor('schema', name), properties = Object.entries(schema.properties ?? {})
    entry(id, name)
    parts.push(el('div', { class: 'item', id }, el('h3', {}, code(name)), properties.length ? '' : el('p', {}, typeOf(schema)), ...prose(schema.description), ...valuesOf(schema),
      properties.length ? table(properties.map(([member, type]) => [[code(member), schema.required?.includes(member) ? el('small', { class: 'required' }, 'always present') : '', el('small', {}, typeOf(type))],
        [...prose(type.description), ...valuesOf(type)]])) : ''))
  }
  document.getElementById('contents').replaceChildren(...contents)
  document.getElementById('reference').replaceChildren(...parts)
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
}

const get = async path => (await fetch(new URL(path, base))).json()
Promise.all([get('openapi.json'), get('v1/serializers')]).then(loaded => build(...loaded), error => {
  document.getElementById('reference').append(el('p', {}, `The service did not respond: ${error.message}`))
})
