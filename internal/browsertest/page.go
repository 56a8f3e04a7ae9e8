package browsertest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"
)

// A Screen describes the device of a page.
type Screen struct {
	Width, Height int
	Dark          bool // prefers-color-scheme
	Touch         bool // a phone: touch input, and scroll bars without width
}

// A Page is a browser tab. Its methods fail the test on errors.
type Page struct {
	t       testing.TB
	wire    *pipe
	session string
}

// Page opens an empty tab in a window of its own, because a browser does not draw a tab that is behind another one.
func (b *Browser) Page(s Screen) *Page {
	b.t.Helper()
	p := &Page{t: b.t, wire: b.wire}
	var target struct{ TargetID string }
	p.call("Target.createTarget", params{"url": "about:blank", "newWindow": true}, &target)
	var attached struct{ SessionID string }
	p.call("Target.attachToTarget", params{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		p.call(domain+".enable", nil, nil)
	}
	p.call("Page.setLifecycleEventsEnabled", params{"enabled": true}, nil)
	p.Show(s)
	return p
}

type params map[string]any

func (p *Page) call(method string, in params, out any) {
	p.t.Helper()
	if err := p.wire.call(p.session, method, in, out); err != nil {
		p.t.Fatal("browser: ", err)
	}
}

// Show changes the screen.
func (p *Page) Show(s Screen) {
	p.t.Helper()
	scheme := "light"
	if s.Dark {
		scheme = "dark"
	}
	p.call("Emulation.setDeviceMetricsOverride", params{"width": s.Width, "height": s.Height, "deviceScaleFactor": 1, "mobile": s.Touch}, nil)
	p.call("Emulation.setTouchEmulationEnabled", params{"enabled": s.Touch}, nil)
	p.call("Emulation.setEmulatedMedia", params{"features": []params{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Load opens url. It returns the time until the page was loaded and two frames were drawn.
func (p *Page) Load(url string) time.Duration {
	p.t.Helper()
	began := time.Now()
	var answer struct{ ErrorText, LoaderID string }
	p.call("Page.navigate", params{"url": url}, &answer)
	if answer.ErrorText != "" {
		p.t.Fatalf("browser: %s: %s", url, answer.ErrorText)
	}
	for { // skips the load event of the previous page
		event, err := p.wire.wait(p.session, "Page.lifecycleEvent")
		var stage struct{ LoaderID, Name string }
		if err = errors.Join(err, json.Unmarshal(event, &stage)); err != nil {
			p.t.Fatal("browser: ", err)
		}
		if stage.LoaderID == answer.LoaderID && stage.Name == "load" {
			break
		}
	}
	p.Frame()
	return time.Since(began)
}

// Frame waits until the changes are drawn.
func (p *Page) Frame() {
	p.t.Helper()
	p.Eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, nil)
}

// Eval evaluates a JavaScript expression, awaits a promise, and decodes the value into out. The page's content security
// policy does not apply to it.
func (p *Page) Eval(expression string, out any) {
	p.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", params{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if e := answer.ExceptionDetails; e != nil {
		p.t.Fatalf("browser: %s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, out); err != nil {
		p.t.Fatalf("browser: %s gave %s: %v", expression, answer.Result.Value, err)
	}
}

// Value evaluates a JavaScript expression: see [Page.Eval].
func Value[T any](p *Page, expression string) (v T) {
	p.t.Helper()
	p.Eval(expression, &v)
	return v
}

// Hover moves the mouse over the first element that matches selector.
func (p *Page) Hover(selector string) {
	p.t.Helper()
	x, y := p.center(selector)
	p.call("Input.dispatchMouseEvent", params{"type": "mouseMoved", "x": x, "y": y}, nil)
	p.Frame()
}

// Tap touches the first element that matches selector with one finger.
func (p *Page) Tap(selector string) {
	p.t.Helper()
	x, y := p.center(selector)
	p.call("Input.dispatchTouchEvent", params{"type": "touchStart", "touchPoints": []params{{"x": x, "y": y}}}, nil)
	p.call("Input.dispatchTouchEvent", params{"type": "touchEnd", "touchPoints": []params{}}, nil)
	p.Frame()
}

// center scrolls an element into the middle of the window and returns its center.
func (p *Page) center(selector string) (x, y float64) {
	p.t.Helper()
	var at [2]float64
	p.Eval(fmt.Sprintf(`(() => {
		const e = document.querySelector(%q)
		e.scrollIntoView({block: "center", behavior: "instant"})
		const r = e.getBoundingClientRect()
		return [r.x + r.width / 2, r.y + r.height / 2]
	})()`, selector), &at)
	return at[0], at[1]
}

// Press presses and releases a key: "Tab", "Enter", "ArrowDown".
func (p *Page) Press(key string) {
	p.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.call("Input.dispatchKeyEvent", params{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}, nil)
	}
	p.Frame()
}

// Heap collects garbage and returns the bytes that the scripts of the page use.
func (p *Page) Heap() int {
	p.t.Helper()
	p.call("HeapProfiler.collectGarbage", nil, nil)
	var usage struct{ UsedSize float64 }
	p.call("Runtime.getHeapUsage", nil, &usage)
	return int(usage.UsedSize)
}

// Screenshot returns the window as a PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	var shot struct{ Data string }
	p.call("Page.captureScreenshot", params{"format": "png"}, &shot)
	b, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		p.t.Fatal("browser: ", err)
	}
	return b
}

// Requests returns the URLs of all requests of the page so far, including the page.
func (p *Page) Requests() (urls []string) {
	for _, e := range p.wire.events {
		var request struct{ Request struct{ URL string } }
		if p.had(e, "Network.requestWillBeSent", &request) {
			urls = append(urls, request.Request.URL)
		}
	}
	return urls
}

// Errors returns the browser's messages about the page so far: errors, violations of its content security policy, and output
// and errors of its scripts.
func (p *Page) Errors() (texts []string) {
	for _, e := range p.wire.events {
		var entry struct{ Entry struct{ Text, URL string } }
		if p.had(e, "Log.entryAdded", &entry) {
			texts = append(texts, entry.Entry.Text+" "+entry.Entry.URL)
		}
		for _, method := range []string{"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Page.javascriptDialogOpening"} {
			var any json.RawMessage
			if p.had(e, method, &any) {
				texts = append(texts, method+" "+string(any))
			}
		}
	}
	return texts
}

func (p *Page) had(e event, method string, into any) bool {
	return e.Session == p.session && e.Method == method && json.Unmarshal(e.Params, into) == nil
}

// Pale returns the texts of elements that match the selector and have less contrast to their background than the 4.5 that WCAG 2
// asks for.
func (p *Page) Pale(selector string) []string {
	p.t.Helper()
	return Value[[]string](p, fmt.Sprintf(pale, selector))
}

// pale lists texts with too little contrast. It has the place of the selector.
const pale = `(() => {
	const channel = c => (c /= 255, c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
	const luminance = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b)
	const color = s => s.match(/[\d.]+/g).map(Number)
	const back = e => {
		const c = color(getComputedStyle(e).backgroundColor)
		return c.length == 4 && c[3] == 0 ? back(e.parentElement) : c
	}
	return [...document.querySelectorAll(%q)].filter(e => {
		const style = getComputedStyle(e)
		const [a, b] = [luminance(color(e.closest("svg") ? style.fill : style.color)), luminance(back(e))].sort((a, b) => b - a)
		return (a + .05) / (b + .05) < 4.5
	}).map(e => e.outerHTML.slice(0, 80))
})()`
