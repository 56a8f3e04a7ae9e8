const zh = navigator.language.startsWith("zh")
const words = zh
	? { name: "你叫什么名字？", join: "进来", send: "发送", say: "说点什么，@名字 会叫到人", gone: "连接断了，正在重连……", ready: "" }
	: { name: "What is your name?", join: "Join", send: "Send", say: "Say something; @name calls somebody", gone: "The connection is lost. Reconnecting …", ready: "" }
document.documentElement.lang = zh ? "zh-CN" : "en"
const list = document.querySelector("ol"), form = document.forms[0], input = form.elements.text, status = document.querySelector("p")
const seen = new Map()
let name = "", socket, wait = 500

function label() {
	input.placeholder = name ? words.say : words.name
	form.querySelector("button").textContent = name ? words.send : words.join
}

function show(line) {
	if (seen.has(line.id)) return
	seen.set(line.id, line)
	const item = document.createElement("li"), time = document.createElement("time"), who = document.createElement("b")
	item.className = line.own ? "own" : line.name === name ? "mine" : ""
	time.textContent = new Date(line.at).toLocaleTimeString().slice(0, 5)
	who.textContent = line.name + " "
	item.append(time, who)
	const quoted = seen.get(line.reply_to)
	if (quoted) {
		const q = document.createElement("q")
		q.textContent = quoted.name + ": " + quoted.text.slice(0, 40)
		item.append(q)
	}
	item.append(line.text)
	const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
	list.append(item)
	while (list.children.length > 500) list.firstChild.remove()
	if (atEnd) list.scrollTop = list.scrollHeight
}

function connect() {
	socket = new WebSocket(location.href.replace(/^http/, "ws").replace(/[?#].*/, "") + "ws")
	socket.onopen = () => { socket.send(JSON.stringify({ name })); status.textContent = words.ready; wait = 500 }
	socket.onmessage = event => show(JSON.parse(event.data))
	socket.onclose = event => {
		if (event.code === 1008) { // the name or the room
			status.textContent = event.reason
			name = ""
			label()
			return
		}
		status.textContent = words.gone
		setTimeout(connect, wait = Math.min(wait * 2, 10000))
	}
}

form.onsubmit = event => {
	event.preventDefault()
	const text = input.value.trim()
	if (!text) return
	if (!name) {
		name = text
		connect()
	} else if (socket.readyState === WebSocket.OPEN) {
		socket.send(JSON.stringify({ text }))
	} else {
		return // the text stays
	}
	input.value = ""
	label()
}
label()
