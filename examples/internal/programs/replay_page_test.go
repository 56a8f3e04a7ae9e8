package programs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// saveScreenshot saves a screenshot of a page, if the test was asked to.
func saveScreenshot(t *testing.T, p *browsertest.Page, name string) {
	t.Helper()
	if *shots != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*shots, name+".png"), p.Screenshot(), 0o644))
	}
}

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// writeLog writes a log of n labelled messages by five people, one of them ann.
func writeLog(t testing.TB, n int, text func(rng *rand.Rand, i int) string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log.jsonl")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	people := []string{"ann", "bob", "cid", "dora", "阿澈"}
	at := noon
	for i := range n {
		at = at.Add(time.Duration(rng.IntN(60)) * time.Second)
		l := whentospeak.Line{Chat: "#talk", ID: fmt.Sprint(i), Time: at, Sender: people[rng.IntN(len(people))], Text: text(rng, i), Labeled: true}
		if i > 3 && rng.IntN(2) == 0 {
			l.ReplyTo = []string{fmt.Sprint(i - 1 - rng.IntN(3))}
		}
		require.NoError(t, json.NewEncoder(f).Encode(l))
	}
	return name
}

func smallTalk(rng *rand.Rand, i int) string {
	words := strings.Fields("ann bob: how does one mount the disk again? I tried it twice, and 今天 好冷 啊 thanks a lot see you later")
	var b strings.Builder
	for range 3 + rng.IntN(20) {
		b.WriteString(words[rng.IntN(len(words))] + " ")
	}
	return b.String()
}

// writePage writes the page of a log and returns its URL.
func writePage(t testing.TB, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, command(t, "replay", append([]string{"-html", name, "-lang", "en"}, args...)...).Run())
	return name
}

var (
	phone   = browsertest.Screen{Width: 360, Height: 740, Touch: true}
	desktop = browsertest.Screen{Width: 1280, Height: 900}
)

func dark(s browsertest.Screen) browsertest.Screen { s.Dark = true; return s }

// A page with 2,000 decisions opens within two seconds and requests nothing else.
func TestReplayPage_Opens(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	file := writePage(t, "-policy", "mention,interject", "-as", "ann", writeLog(t, 2600, smallTalk))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(4<<20))
	url := "file://" + file
	for _, s := range []browsertest.Screen{phone, desktop} {
		p := b.Page(s)
		took := p.Load(url)
		t.Logf("%d px: %d decisions in %v", s.Width, browsertest.Value[int](p, `document.querySelectorAll(".outcome").length`), took)
		assert.GreaterOrEqual(t, browsertest.Value[int](p, `document.querySelectorAll(".row.decided").length`), 2000)
		assert.Less(t, browsertest.Value[int](p, `document.querySelectorAll("*").length`), 130_000)
		assert.Equal(t, []string{url}, p.Requests())
		assert.Empty(t, p.Errors())
		saveScreenshot(t, p, fmt.Sprint("opens-", s.Width))
	}
}

// helpers are JavaScript functions for the tests.
const helpers = `
	window.visible = e => e && e.checkVisibility() && e.getBoundingClientRect().height > 0
	window.outside = () => [...document.querySelectorAll("body *")].filter(e => {
		const r = e.getBoundingClientRect()
		return r.width > 0 && (r.right > innerWidth + 1 || r.left < -1) && !e.closest("legend, svg")
	}).map(e => e.outerHTML.slice(0, 80))
	const channel = c => (c /= 255, c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
	const luminance = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b)
	const color = s => s.match(/[\d.]+/g).map(Number)
	window.contrast = e => {
		const back = e => {
			const c = color(getComputedStyle(e).backgroundColor)
			return c.length == 4 && c[3] == 0 ? back(e.parentElement) : c
		}
		const [a, b] = [luminance(color(getComputedStyle(e).color)), luminance(back(e))].sort((a, b) => b - a)
		return (a + .05) / (b + .05)
	}
	true`

// The page never scrolls sideways on a phone, even with long words and a table of scores.
func TestReplayPage_FitsAPhone(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	long := strings.Repeat("很长", 400) + strings.Repeat("x", 500)
	url := "file://" + writePage(t, "-policy", "hfc,interject", "-as", "ann", writeLog(t, 150, func(rng *rand.Rand, i int) string {
		if i%10 == 0 {
			return "ann: https://example.com/" + long
		}
		if i%10 == 1 {
			return "bob: wide" + strings.Repeat(" ", 200) + strings.Repeat("\t", 20)
		}
		return smallTalk(rng, i)
	}))
	for _, s := range []browsertest.Screen{phone, {Width: 360, Height: 740}, {Width: 320, Height: 600, Touch: true}, {Width: 900, Height: 700}, desktop} {
		p := b.Page(s)
		p.Load(url)
		p.Eval(helpers, nil)
		for _, show := range []string{"all", "decided", "speaks", "differs", "wrong"} {
			p.Eval(fmt.Sprintf(`document.getElementById(%q).click()`, show), nil)
			p.Frame()
			assert.LessOrEqual(t, browsertest.Value[int](p, `document.scrollingElement.scrollWidth`), browsertest.Value[int](p, `document.scrollingElement.clientWidth`), "%d px, %s", s.Width, show)
			assert.Empty(t, browsertest.Value[[]string](p, `outside()`), "%d px, %s", s.Width, show)
		}
	}
}

// All texts are readable in light and dark mode. WCAG 2 requires a contrast of 4.5.
func TestReplayPage_Contrast(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	url := "file://" + writePage(t, "-policy", "mention,interject", "-as", "ann", writeLog(t, 120, smallTalk))
	for _, s := range []browsertest.Screen{desktop, dark(desktop), phone, dark(phone)} {
		p := b.Page(s)
		p.Load(url)
		p.Eval(helpers, nil)
		assert.InDelta(t, 21, browsertest.Value[float64](p, `(document.body.insertAdjacentHTML("beforeend", "<p id=probe>x"), probe.style.cssText = "color:#000;background:#fff", contrast(probe))`), .01)
		p.Eval(`probe.remove()`, nil)
		if s.Touch {
			p.Tap(".row.speaks")
		} else {
			p.Hover(".row.speaks")
		}
		for _, what := range []string{
			"h1", "h2", ".soft", ".policy", ".sums dd", ".sums dt", ".show label", ".legend span", ".lane span", "figcaption time", ".day",
			".row > time", ".said b", ".text", ".row.own .text", ".answered", ".outcome", ".speak .outcome", ".number", ".mark .wrong",
			".why h3", ".why h3 span", ".why li", ".why code", ".why p",
		} {
			worst := browsertest.Value[float64](p, fmt.Sprintf(`Math.min(...[...document.querySelectorAll(%q)].map(contrast))`, what))
			assert.GreaterOrEqual(t, worst, 4.5, "%s at %d px, dark %v", what, s.Width, s.Dark)
			assert.Less(t, worst, 22., "there is no %s", what)
		}
		saveScreenshot(t, p, fmt.Sprintf("contrast-%d-%v", s.Width, s.Dark))
	}
}

// The reasons of a decision appear and disappear by mouse, keyboard and touch.
func TestReplayPage_ShowsReasons(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	url := "file://" + writePage(t, "-policy", "mention,interject", "-as", "ann", writeLog(t, 120, smallTalk))
	reason := func(p *browsertest.Page) string {
		return browsertest.Value[string](p, `[...document.querySelectorAll(".why")].filter(e => {
			const r = e.getBoundingClientRect()
			return visible(e) && r.top >= 0 && r.bottom <= innerHeight && document.elementFromPoint(r.x + 5, r.y + 5) === e
		}).map(e => e.innerText).join("|")`)
	}
	open := func(s browsertest.Screen) *browsertest.Page {
		p := b.Page(s)
		p.Load(url)
		p.Eval(helpers, nil)
		require.Empty(t, reason(p))
		return p
	}
	p := open(desktop)
	p.Hover(".row.speaks")
	assert.Contains(t, reason(p), "somebody said my name")
	assert.Contains(t, reason(p), "capped_window 0/20")
	p.Hover("h1")
	assert.Empty(t, reason(p))

	p = open(desktop)
	for range 10 {
		if p.Press("Tab"); browsertest.Value[bool](p, `document.activeElement.matches(".row")`) {
			break
		}
	}
	assert.NotEmpty(t, reason(p), "focus")
	first := browsertest.Value[string](p, `document.activeElement.id`)
	p.Press("Tab")
	assert.NotEqual(t, first, browsertest.Value[string](p, `document.activeElement.id`))
	assert.NotEmpty(t, reason(p), "focus")

	p = open(phone)
	p.Tap(".row.speaks")
	assert.Contains(t, reason(p), "somebody said my name")
	assert.Contains(t, reason(p), "mention: speaks")
	assert.Contains(t, reason(p), "interject: speaks")
	p.Tap("h1")
	assert.Empty(t, reason(p))
}

// Text of people is shown as text only.
func TestReplayPage_IsInert(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	hostile := []string{
		`</script><script>console.log("ran")</script>`,
		`<img src="http://127.0.0.1:9/x" onerror="console.log('ran')">`,
		`</style><style>* { background: url(http://127.0.0.1:9/y) }</style>`,
		`"><svg onload=console.log("ran")><a href="javascript:console.log('ran')">x</a>`,
		`</bdi></div></li></ol></main><meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">`,
		"\u202egnp.exe\u2066 left open", "{{.Style}}", "<!--", "&lt;b&gt; &amp;", "line\u2028line\nline", "Z\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "log.jsonl")
	f, err := os.Create(name)
	require.NoError(t, err)
	for i, text := range hostile {
		line := whentospeak.Line{Chat: hostile[0] + text, ID: fmt.Sprint(i), Time: noon, Sender: text, Text: "ann " + text, Labeled: true}
		require.NoError(t, json.NewEncoder(f).Encode(line))
		line.Sender, line.Text, line.ReplyTo = "ann", text, []string{line.ID}
		line.ID += "r"
		require.NoError(t, json.NewEncoder(f).Encode(line))
	}
	require.NoError(t, f.Close())
	for _, args := range [][]string{{"-policy", "mention", "-as", "ann", name}, {"-policy", "mention", "-name", "ann", name}, {"-policy", "hfc,mention", "-as", "ann", name}} {
		url := "file://" + writePage(t, args...)
		p := b.Page(desktop)
		p.Load(url)
		p.Eval(helpers, nil)
		p.Hover(".row.speaks")
		assert.Equal(t, []string{url}, p.Requests())
		assert.Empty(t, p.Errors())
		assert.Zero(t, browsertest.Value[int](p, `document.querySelectorAll("script, img, iframe, object, embed, link, style:not(head style), meta:not(head meta), [onload], [onerror], a:not([href^='#'])").length`))
		texts := browsertest.Value[[]string](p, `[...document.querySelectorAll(".text")].map(e => e.textContent)`)
		for _, text := range hostile {
			assert.Contains(t, texts, "ann "+text)
		}
		assert.Equal(t, "isolate", browsertest.Value[string](p, `getComputedStyle(document.querySelector(".text")).unicodeBidi`))
		assert.Equal(t, "isolate", browsertest.Value[string](p, `getComputedStyle(document.querySelector(".said b bdi")).unicodeBidi`))
		saveScreenshot(t, p, fmt.Sprint("inert", len(args)))
	}
}
