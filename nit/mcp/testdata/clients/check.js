// Lists and calls the tools of a server through an MCP client of others, and prints what it saw as JSON.
//
//	node check.js v1|v2|v2-modern stdio command [argument…]
//	node check.js v1|v2|v2-modern http url token
import process from 'node:process'

process.on('uncaughtException', e => {
  console.error(e)
  process.exit(1) // and not wait for the server's end
})

const [kind, way, target, ...rest] = process.argv.slice(2)
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = kind === 'v1'
  ? await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ])
  : await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
    import('@modelcontextprotocol/client'),
  ])

let changed
const grown = new Promise(resolve => { changed = resolve })
const options = {
  listChanged: { tools: { onChanged: (error, tools) => changed(error ? [String(error)] : tools.map(t => t.name)) } },
}
if (kind === 'v2-modern') options.versionNegotiation = { mode: { pin: '2026-07-28' } }
const client = new Client({ name: 'check', version: '0' }, options)
const transport = way === 'stdio'
  ? new StdioClientTransport({ command: target, args: rest, env: process.env, stderr: 'inherit' })
  : new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } })
await client.connect(transport)

const refused = async call => {
  try {
    return await call
  } catch (e) {
    return { code: e.code, message: e.message }
  }
}
const { tools } = await client.listTools()
const seen = {
  tools: tools.map(t => t.name),
  schema: tools[0].inputSchema,
  echo: (await client.callTool({ name: 'echo', arguments: { text: '你好' } })).content,
  pair: (await client.callTool({ name: 'pair', arguments: {} })).structuredContent,
  fail: await client.callTool({ name: 'fail', arguments: {} }),
  bad: (await client.callTool({ name: 'echo', arguments: { text: 7 } })).isError,
  hidden: await refused(client.callTool({ name: 'zq7_shell', arguments: {} })),
  unknown: await refused(client.callTool({ name: 'no_such_tool', arguments: {} })),
}
const cancel = new AbortController()
setTimeout(() => cancel.abort('enough'), 50)
seen.cancelled = 'message' in await refused(client.callTool({ name: 'wait', arguments: {} }, ...(kind === 'v1' ? [undefined] : []), { signal: cancel.signal }))
// Over HTTP the stream of notifications is opened beside all this, and what comes before it is missed.
while (!seen.grown) {
  await client.callTool({ name: 'grow', arguments: {} })
  seen.grown = await Promise.race([grown, new Promise(resolve => setTimeout(resolve, 2000))])
}
for (const r of [seen.fail, seen.hidden, seen.unknown]) delete r._meta
console.log(JSON.stringify(seen))
await client.close()
process.exit(0)
