// An empty PostgreSQL with pgvector in memory, on a free port of loopback, which it prints. It ends with its standard input.
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

globalThis.CustomEvent ??= class extends Event { // Node 18, which Debian 12 has, does not know it
  constructor(type, { detail }) { super(type); this.detail = detail }
}
const db = await PGlite.create({ extensions: { vector } })
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 })
server.addEventListener('listening', event => console.log(event.detail.port))
await server.start()
process.stdin.on('end', () => process.exit(0)).resume()
