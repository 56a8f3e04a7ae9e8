// Follows the events of a page. A browser keeps at most six connections to a host, so a hidden tab has none: it gets what it
// missed when it is shown.
"use strict"

// follow calls show for each update after the event from(). The function that it returns connects anew.
function follow(url, from, show) {
	const lost = document.getElementById("lost")
	let source, retry, wait = 500
	function connect() {
		source?.close()
		clearTimeout(retry)
		if (document.hidden) return
		source = new EventSource(url + "?seq=" + from())
		source.onopen = () => { lost.hidden = true; wait = 500 }
		source.onmessage = event => show(JSON.parse(event.data))
		source.onerror = () => { // EventSource would ask for the same seq again
			source.close()
			lost.hidden = false
			retry = setTimeout(connect, wait = Math.min(wait * 2, 10000))
		}
	}
	document.addEventListener("visibilitychange", connect)
	connect()
	return connect
}
