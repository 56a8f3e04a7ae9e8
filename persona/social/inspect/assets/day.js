// Keeps the day up to date and sends what the owner says. Without it the page shows what was known when it was loaded, and the form
// loads it again.
"use strict"
const day = document.getElementById("day"), rows = document.getElementById("rows"), side = document.getElementById("side")
const folded = document.getElementById("folded"), form = document.getElementById("talk")
const answer = document.getElementById("answer"), maxRows = 600
let seq = Number(day.dataset.seq)

function last() {
	const all = rows.querySelectorAll(".row")
	return all.length ? all[all.length - 1].dataset.day : ""
}

function add(row) {
	if (row.dataset.day !== last()) {
		const item = document.createElement("li"), heading = document.createElement("h3")
		heading.textContent = row.dataset.day
		item.className = "date"
		item.append(heading)
		rows.append(item)
	}
	if (!row.dataset.dull) {
		rows.append(row)
		return
	}
	let fold = rows.lastElementChild
	if (!fold.classList.contains("dull")) {
		fold = folded.content.firstElementChild.cloneNode(true)
		rows.append(fold)
	}
	const list = fold.querySelector("ol")
	list.append(row)
	fold.querySelector("span").textContent = list.children.length
}

// trim drops the oldest rows, and their headings.
function trim() {
	for (let extra = rows.querySelectorAll(".row").length - maxRows; extra > 0; ) {
		const first = rows.firstElementChild
		extra -= first.matches(".row") ? 1 : first.querySelectorAll(".row").length
		first.remove()
	}
}

function show(update) {
	if (update.gone) { // somebody was forgotten: start from nothing
		rows.replaceChildren()
		side.replaceChildren()
		if (answer) answer.replaceChildren()
		seq = 0
		connect()
		return
	}
	seq = update.seq
	if (update.rows) {
		const part = document.createElement("template")
		part.innerHTML = update.rows // the server has escaped it
		rows.querySelector(".none")?.remove()
		for (const row of [...part.content.children]) {
			if (row.matches(".reply, .owner")) answer?.replaceChildren() // now it is among the rows
			add(row)
		}
		trim()
	}
	if (update.side) {
		const x = side.querySelector("figure")?.scrollLeft
		side.innerHTML = update.side
		if (x !== undefined) side.querySelector("figure").scrollLeft = x
	}
}

const connect = follow(day.dataset.events, () => seq, show)

// Talk.

const box = document.getElementById("text"), state = document.getElementById("state")
let waiting = 0

function said(text) {
	const item = document.createElement("li"), word = document.createElement("span"), words = document.createElement("bdi")
	item.className = "row reply"
	word.className = "word"
	word.textContent = answer.dataset.word
	words.className = "text"
	words.textContent = text
	item.append(document.createElement("time"), word, words)
	answer.append(item)
}

async function send(text) {
	const response = await fetch(form.action, {method: "POST", body: new URLSearchParams({text}), headers: {Accept: "application/x-ndjson"}})
	if (!response.ok) {
		box.value ||= text
		throw new Error(await response.text())
	}
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
	for (let rest = ""; ; ) {
		const {value, done} = await reader.read()
		if (done) return
		const lines = (rest + value).split("\n")
		rest = lines.pop()
		for (const line of lines) {
			const item = JSON.parse(line)
			if (item.type === "item") said(item.text)
			if (item.type === "error") throw new Error(item.text)
		}
	}
}

async function talk(event) {
	event.preventDefault()
	const text = box.value.trim()
	if (!text) return
	box.value = ""
	waiting++
	state.className = ""
	state.textContent = state.dataset.thinking
	let failed = ""
	try {
		await send(text)
	} catch (err) {
		failed = err.message || state.dataset.failed
	}
	waiting--
	setTimeout(() => { // the rows have it, unless the connection is lost
		if (!waiting && source.readyState === EventSource.OPEN) answer.replaceChildren()
	}, 2000)
	if (failed) state.className = "failed"
	if (failed || !waiting) state.textContent = failed
}

if (form) {
	document.getElementById("help").className = "soft live"
	form.addEventListener("submit", talk)
	box.addEventListener("keydown", event => {
		if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches) return
		event.preventDefault()
		form.requestSubmit()
	})
}
