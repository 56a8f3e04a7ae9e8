// Uses qqmcp --demo through an MCP client of others, and prints what it saw as JSON. It is read from standard input, in the folder of
// the clients: node --input-type=module - v1|v2 stdio command [argument…], or http url token.
import process from 'node:process'

process.on('uncaughtException', e => {
  console.error(e)
  process.exit(1) // and not wait for the server's end
})

const [kind, way, target, ...rest] = process.argv.slice(2)
const from = kind === 'v1'
  ? ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js', '@modelcontextprotocol/sdk/client/streamableHttp.js']
  : ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio', '@modelcontextprotocol/client']
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all(from.map(name => import(name)))
const client = new Client({ name: 'check', version: '0' })
await client.connect(way === 'stdio'
  ? new StdioClientTransport({ command: target, args: rest, env: process.env, stderr: 'inherit' })
  : new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } }))

const call = (name, args = {}) => client.callTool({ name, arguments: args })
const { tools } = await client.listTools()
const seen = { tools: tools.map(t => t.name), schemas: tools.every(t => t.outputSchema?.type === 'object') }
for (let i = 0; ; i++) { // until the demo's QQ is there
  seen.status = (await call('check_status')).structuredContent
  if (seen.status.qq_logged_in && seen.status.buffer_stats.total_messages_buffered >= 6) break
  if (i > 600) throw new Error('QQ does not come')
  await new Promise(resolve => setTimeout(resolve, 100))
}
seen.groups = (await call('get_group_list')).structuredContent
seen.context = (await call('get_recent_context', { target: '714285', limit: 3 })).structuredContent
seen.private = (await call('get_recent_context', { target: 31002, target_type: 'private' })).structuredContent
seen.batch = (await call('batch_get_recent_context', { targets: [{ target: '714285' }, { target: '1' }] })).structuredContent
seen.bad = await Promise.all([{ target: '714285', limit: 51 }, { target: '714285', limit: 'ten' }, { target: '1' }, {}].map(async a => (await call('get_recent_context', a)).isError))
for (let i = 0; i < 600; i++) { // they are listed a moment after their chats are there
  seen.resources = (await client.listResources()).resources.map(r => r.uri)
  if (seen.resources.length === 3) break
  await new Promise(resolve => setTimeout(resolve, 100))
}
seen.read = JSON.parse((await client.readResource({ uri: 'qq://group/714285' })).contents[0].text).target
const sends = await Promise.all(['大家好', '又是我', '还是我'].map(content => call('send_message', { target: '714285', content })))
seen.sent = sends.find(s => !s.isError).structuredContent
seen.soon = sends.find(s => s.isError).structuredContent
seen.waited = (await call('wait_for_message', { timeout_seconds: 30 })).structuredContent
seen.compressed = (await call('compress_context', { target: '714285', keep: 1 })).structuredContent
seen.message = (await call('get_message', { message_id: seen.sent.message_id })).structuredContent

let left = Number(process.env.READS)
let errors = 0
const began = performance.now()
await Promise.all(Array.from({ length: 20 }, async () => {
  while (left-- > 0) {
    const r = await call('get_recent_context', { target: '714285' })
    if (r.isError || r.structuredContent.target !== '714285') errors++
  }
}))
seen.reads = { errors, milliseconds: Math.round(performance.now() - began) }
console.log(JSON.stringify(seen))
await client.close()
process.exit(0)
