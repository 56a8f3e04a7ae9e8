package programs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page of the day works in a browser with the token as password, on a phone and a desktop, in light and dark mode. Text
// of people is shown as text.
func TestCompanion_Page(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
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
	for _, s := range []browsertest.Screen{
		{Width: 1280, Height: 900}, {Width: 1280, Height: 900, Dark: true}, {Width: 360, Height: 740, Touch: true}, {Width: 360, Height: 740, Touch: true, Dark: true},
	} {
		p := b.Page(s)
		p.Load(url)
		assert.Equal(t, "小炉 的一天", browsertest.Value[string](p, `document.title`))
		assert.Empty(t, p.Errors())
		assert.Len(t, p.Requests(), 1, "it asks for nothing but itself")
		assert.Zero(t, browsertest.Value[int](p, `document.querySelectorAll("script, img, form, iframe").length`))
		assert.GreaterOrEqual(t, browsertest.Value[int](p, `document.querySelectorAll("svg a circle").length`), 6)
		assert.GreaterOrEqual(t, browsertest.Value[int](p, `document.querySelectorAll("svg circle.timer").length`), 1)
		assert.GreaterOrEqual(t, browsertest.Value[int](p, `document.querySelectorAll("ol li").length`), 6)
		assert.Contains(t, browsertest.Value[string](p, `document.querySelector("ol").innerText`), `<script>document.title="owned"</script>`)
		assert.Contains(t, browsertest.Value[string](p, `document.querySelector("pre").innerText`), "角色背景")
		assert.Contains(t, browsertest.Value[string](p, `document.querySelector("ul").innerText`), "看看")
		assert.LessOrEqual(t, browsertest.Value[int](p, `document.scrollingElement.scrollWidth`), browsertest.Value[int](p, `document.scrollingElement.clientWidth`), "%d px", s.Width)
		// Each mark is inside the drawing and links to its line.
		assert.Zero(t, browsertest.Value[int](p, `[...document.querySelectorAll("svg circle")].filter(c => +c.getAttribute("cx") < 0 || +c.getAttribute("cx") > 1000).length`))
		assert.Zero(t, browsertest.Value[int](p, `[...document.querySelectorAll("svg a")].filter(a => !document.querySelector("li" + a.getAttribute("href"))).length`))
		assert.Empty(t, p.Pale("h1, h2, p, time, .word, bdi, pre, code, svg text"), "what can't be read: WCAG 2 wants a contrast of 4.5")
		if *shots != "" {
			name := fmt.Sprintf("day-%d-%v.png", s.Width, s.Dark)
			require.NoError(t, os.WriteFile(filepath.Join(*shots, name), p.Screenshot(), 0o644))
		}
	}
}
