// A bot of others on a platform of ours: @satorijs/adapter-qq. It prints what it sees as JSON lines, and does what it is told:
// it answers 说 TEXT|TEXT with a message for each TEXT, 图 with a picture, 撤回 with a message that it takes back, and a button with
// its data. As a webhook it serves a path on loopback, and prints its address when the first event may come.
//
//	node satori.js endpoint appid secret websocket|webhook
import http from 'node:http'
import process from 'node:process'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { Context, HTTP, h } = require('@satorijs/core')
const { QQBot } = require('@satorijs/adapter-qq')

const [endpoint, id, secret, protocol] = process.argv.slice(2)
const print = what => console.log(JSON.stringify(what))

// The adapter has the address for tokens in its code.
const real = globalThis.fetch
globalThis.fetch = (to, init) => {
  const url = String(to instanceof Request ? to.url : to)
  const ours = url.replace(/^https:\/\/bots\.qq\.com/, endpoint)
  return real(ours === url ? to : ours, init)
}

const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

const ctx = new Context()
ctx.plugin(HTTP)

// The adapter wants the routes of @cordisjs/plugin-server, which is a hundred packages.
const listener = http.createServer()
ctx.provide('server')
ctx.set('server', {
  post: (path, handle) => {
    listener.on('request', async (request, response) => {
      let text = ''
      for await (const part of request.setEncoding('utf8')) text += part
      const header = request.headers
      const body = Object.assign(JSON.parse(text), { [Symbol.for('unparsedBody')]: text })
      const call = { request: { header, body }, get: name => header[name.toLowerCase()], status: 404, body: null }
      await handle(call)
      response.writeHead(call.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(call.body))
    })
    listener.listen(0, '127.0.0.1', () => print({ event: 'webhook', text: `http://127.0.0.1:${listener.address().port}${path}` }))
  },
})
ctx.plugin(QQBot, { id, secret, type: 'public', endpoint, authType: 'bearer', protocol, path: '/qq', intents: 1 << 25 | 1 << 26, retryWhen: [], retryTimes: 9, retryInterval: 200, retryLazy: 200 })
ctx.on('login-updated', session => print({ event: 'login', status: session.bot.status, name: session.bot.user?.name }))
const answer = (session, content) => session.bot.sendMessage(session.channelId, content, session.guildId, { session })
ctx.on('message', async session => {
  print({ event: 'message', direct: session.isDirect, channel: session.channelId, user: session.userId, id: session.messageId, text: session.content })
  const [, order, text] = /(说|图|撤回) ?(.*)$/.exec(session.content) ?? []
  try {
    let sent = []
    if (order === '说') for (const one of text.split('|')) sent.push(...await answer(session, one))
    if (order === '图') sent = await answer(session, h.image(`data:image/png;base64,${picture.toString('base64')}`))
    if (order === '撤回') {
      sent = await answer(session, '说错了')
      if (session.isDirect) await session.bot.internal.deletePrivateMessage(session.userId, sent[0])
      else await session.bot.deleteMessage(session.channelId, sent[0])
    }
    print({ event: 'sent', order, ids: sent })
  } catch (e) {
    print({ event: 'failed', order, status: e.response?.status ?? e.errors?.[0]?.response?.status, code: e.response?.data?.code ?? e.errors?.[0]?.response?.data?.code, message: String(e) })
  }
})
ctx.on('interaction/button', async session => {
  print({ event: 'button', direct: session.isDirect, channel: session.channelId, user: session.userId, id: session.event.button.id })
  await answer(session, session.event.button.data)
})
for (const event of ['friend-added', 'friend-deleted', 'guild-added', 'guild-removed']) {
  ctx.on(event, session => print({ event, user: session.userId, guild: session.guildId }))
}
await ctx.start()
