// Keeps the lists of the live page up to date. Without it the page shows what was known when it was loaded.
"use strict"
const table = document.getElementById("chats"), body = table.tBodies[0]
const lines = document.getElementById("lines")
const maxLines = 100
const rows = new Map([...body.rows].map(r => [r.dataset.key, r]))
let seq = Number(table.dataset.seq)

// The newest line is at the top.
lines.append(...[...lines.children].reverse())

function set(node, text) {
	if (node.textContent !== text) node.textContent = text
}

function addRow(chat) {
	const row = body.insertRow(0)
	row.dataset.key = chat.key
	for (let i = 0; i < 6; i++) row.insertCell()
	const name = document.createElement(chat.url ? "a" : "span")
	if (chat.url) name.href = chat.url
	row.cells[0].append(name)
	row.cells[5].append(document.createElement("time"), " ", document.createElement("bdi"))
	rows.set(chat.key, row)
	return row
}

function showChat(chat) {
	if (!chat.key) return // a private chat that this token may not see
	const row = rows.get(chat.key) || addRow(chat), cells = row.cells
	set(cells[0].firstChild, chat.name)
	set(cells[1], chat.state)
	set(cells[2], chat.interest)
	set(cells[3], chat.energy)
	set(cells[4], chat.mood)
	set(cells[5].firstChild, chat.at)
	set(cells[5].lastChild, chat.last)
}

function showLine(line) {
	const item = lines.children.length < maxLines ? document.createElement("li") : lines.lastElementChild
	const text = document.createElement(line.url ? "a" : "bdi"), time = document.createElement("time"), chat = document.createElement("bdi")
	item.className = line.kind
	item.dataset.seq = line.seq
	time.textContent = line.at
	chat.className = "soft"
	chat.textContent = line.chat
	text.textContent = line.text
	if (line.url) text.href = line.url
	item.replaceChildren(time, " ", chat, " ", text)
	lines.prepend(item)
}

// showTable changes the rows of a small table in place, and adds or removes a row only if its key is new or gone.
function showTable(rows, list) {
	list.forEach((to, i) => {
		let row = rows.rows[i]
		if (!row || row.dataset.key !== to.key) {
			row = [...rows.rows].find(r => r.dataset.key === to.key) || document.createElement("tr")
			rows.insertBefore(row, rows.rows[i] || null)
			row.dataset.key = to.key
			while (row.cells.length < to.cells.length) row.insertCell().append(document.createElement("bdi"))
		}
		const state = to.bad ? "stop" : ""
		if (row.className !== state) row.className = state
		to.cells.forEach((text, n) => set(row.cells[n].firstChild, text))
	})
	while (rows.rows.length > list.length) rows.lastElementChild.remove()
}

function show(update) {
	if (update.gone) { // somebody was forgotten: start from nothing
		lines.replaceChildren()
		body.replaceChildren()
		rows.clear()
		seq = 0
		connect()
		return
	}
	seq = update.seq
	for (const chat of update.chats || []) showChat(chat)
	for (const line of update.lines || []) showLine(line)
	if (update.stats) set(document.getElementById("stats"), update.stats)
	if (!update.tables) return
	for (const id of ["links", "budget", "usage"]) showTable(document.getElementById(id).tBodies[0], update.tables[id] || [])
	set(document.getElementById("saving"), update.tables.saving)
}

const connect = follow(table.dataset.events, () => seq, show)
