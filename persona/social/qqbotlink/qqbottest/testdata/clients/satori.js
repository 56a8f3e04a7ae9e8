// A bot of others on a platform of ours: @satorijs/adapter-qq. It prints what it sees as JSON lines, and does what it is told:
// it answers 说 TEXT with TEXT, 图 with a picture, and 撤回 with a message that it takes back.
//
//	node satori.js endpoint appid secret
import process from 'node:process'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { Context, HTTP, h } = require('@satorijs/core')
const { QQBot } = require('@satorijs/adapter-qq')

const [endpoint, id, secret] = process.argv.slice(2)
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
ctx.plugin(QQBot, { id, secret, type: 'public', endpoint, authType: 'bearer', protocol: 'websocket', intents: 1 << 25, retryWhen: [], retryTimes: 9, retryInterval: 200, retryLazy: 200 })
ctx.on('login-updated', session => print({ event: 'login', status: session.bot.status, name: session.bot.user?.name }))
ctx.on('message', async session => {
  print({ event: 'message', direct: session.isDirect, channel: session.channelId, user: session.userId, id: session.messageId, text: session.content })
  const send = content => session.bot.sendMessage(session.channelId, content, session.guildId, { session })
  const [, order, text] = /(说|图|撤回) ?(.*)$/.exec(session.content) ?? []
  try {
    let sent = []
    if (order === '说') sent = await send(text)
    if (order === '图') sent = await send(h.image(`data:image/png;base64,${picture.toString('base64')}`))
    if (order === '撤回') {
      sent = await send('说错了')
      if (session.isDirect) await session.bot.internal.deletePrivateMessage(session.userId, sent[0])
      else await session.bot.deleteMessage(session.channelId, sent[0])
    }
    print({ event: 'sent', order, ids: sent })
  } catch (e) {
    print({ event: 'failed', order, status: e.response?.status ?? e.errors?.[0]?.response?.status, code: e.response?.data?.code ?? e.errors?.[0]?.response?.data?.code, message: String(e) })
  }
})
for (const event of ['friend-added', 'friend-deleted', 'guild-added', 'guild-removed']) {
  ctx.on(event, session => print({ event, user: session.userId, guild: session.guildId }))
}
await ctx.start()
