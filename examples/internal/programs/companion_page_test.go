package programs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page of the day works in a browser with the token as password, on a phone and a desktop, in light and dark mode. Text
// of people is shown as text.
func TestCompanion_Page(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := openBrowser(t)
	var out screen
	l := startCompanion(t, &out, "-speed", "1440")
	hostile := `</bdi><script>document.title="owned"</script><img src=x onerror=alert(1)> ` + strings.Repeat("很长", 200)
	_, err := io.WriteString(l.typed, hostile+"\n半小时后提醒我喝水\n十小时后看看"+hostile+"\n")
	require.NoError(t, err)
	until(t, func() bool {
		s := out.Printed()
		return strings.Contains(s, "记下了") && strings.Contains(s, " timer: ") && strings.Contains(s, " background: ")
	})
	url := strings.Replace(address.FindString(out.Printed()), "http://", "http://owner:"+strings.ReplaceAll(token, " ", "%20")+"@", 1) + "?still"
	for _, s := range []Screen{
		{Width: 1280, Height: 900}, {Width: 1280, Height: 900, Dark: true}, {Width: 360, Height: 740, Touch: true}, {Width: 360, Height: 740, Touch: true, Dark: true},
	} {
		p := b.Page(s)
		p.Load(url)
		assert.Equal(t, "小炉 的一天", evaluate[string](p, `document.title`))
		assert.Empty(t, p.Errors())
		assert.Len(t, p.Requests(), 1, "it asks for nothing but itself")
		assert.Zero(t, evaluate[int](p, `document.querySelectorAll("script, img, form, iframe").length`))
		assert.GreaterOrEqual(t, evaluate[int](p, `document.querySelectorAll("svg a circle").length`), 6)
		assert.GreaterOrEqual(t, evaluate[int](p, `document.querySelectorAll("svg circle.timer").length`), 1)
		assert.GreaterOrEqual(t, evaluate[int](p, `document.querySelectorAll("ol li").length`), 6)
		assert.Contains(t, evaluate[string](p, `document.querySelector("ol").innerText`), `<script>document.title="owned"</script>`)
		assert.Contains(t, evaluate[string](p, `document.querySelector("pre").innerText`), "角色背景")
		assert.Contains(t, evaluate[string](p, `document.querySelector("ul").innerText`), "看看")
		assert.LessOrEqual(t, evaluate[int](p, `document.scrollingElement.scrollWidth`), evaluate[int](p, `document.scrollingElement.clientWidth`), "%d px", s.Width)
		// Each mark is inside the drawing and links to its line.
		assert.Zero(t, evaluate[int](p, `[...document.querySelectorAll("svg circle")].filter(c => +c.getAttribute("cx") < 0 || +c.getAttribute("cx") > 1000).length`))
		assert.Zero(t, evaluate[int](p, `[...document.querySelectorAll("svg a")].filter(a => !document.querySelector("li" + a.getAttribute("href"))).length`))
		assert.Empty(t, evaluate[[]string](p, pale), "what can't be read: WCAG 2 wants a contrast of 4.5")
		if *shots != "" {
			name := fmt.Sprintf("day-%d-%v.png", s.Width, s.Dark)
			require.NoError(t, os.WriteFile(filepath.Join(*shots, name), p.Screenshot(), 0o644))
		}
	}
}

// pale lists texts with too little contrast to their background.
const pale = `(() => {
	const channel = c => (c /= 255, c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
	const luminance = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b)
	const color = s => s.match(/[\d.]+/g).map(Number)
	const back = e => {
		const c = color(getComputedStyle(e).backgroundColor)
		return c.length == 4 && c[3] == 0 ? back(e.parentElement) : c
	}
	return [...document.querySelectorAll("h1, h2, p, time, .word, bdi, pre, code, svg text")].filter(e => {
		const style = getComputedStyle(e)
		const [a, b] = [luminance(color(e.closest("svg") ? style.fill : style.color)), luminance(back(e))].sort((a, b) => b - a)
		return (a + .05) / (b + .05) < 4.5
	}).map(e => e.outerHTML.slice(0, 80))
})()`
