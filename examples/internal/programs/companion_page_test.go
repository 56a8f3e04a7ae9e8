package programs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The companion's day works in a browser that sends the token by the form, on a phone and a desktop, in light and dark mode. Text
// of people is shown as text, and the newest entry is in sight.
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
	url := address.FindString(out.Printed())
	p := b.Page(browsertest.Screen{Width: 1280, Height: 900})
	p.Load(url)
	p.Eval(fmt.Sprintf(`document.getElementById("token").value = %q, document.forms[0].submit()`, token), nil)
	require.Eventually(t, func() bool {
		return browsertest.Value[bool](p, `document.readyState === "complete" && document.getElementById("rows") !== null`)
	}, time.Minute, 50*time.Millisecond, "/ opens into the day")
	for _, s := range []browsertest.Screen{
		{Width: 1280, Height: 900}, {Width: 1280, Height: 900, Dark: true}, {Width: 360, Height: 740, Touch: true}, {Width: 360, Height: 740, Touch: true, Dark: true},
	} {
		p := b.Page(s)
		p.Load(url)
		assert.Empty(t, p.Errors())
		for _, asked := range p.Requests() {
			assert.True(t, strings.HasPrefix(asked, url) || strings.HasPrefix(asked, "data:"), asked)
			assert.NotContains(t, asked, "token")
		}
		count := func(selector string) int {
			return browsertest.Value[int](p, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
		}
		text := func(selector string) string {
			return browsertest.Value[string](p, fmt.Sprintf(`document.querySelector(%q).innerText`, selector))
		}
		assert.Zero(t, count("img, iframe"))
		assert.GreaterOrEqual(t, count("svg a circle"), 6)
		assert.GreaterOrEqual(t, count("svg circle.timer"), 1)
		assert.GreaterOrEqual(t, count("#rows .row"), 6)
		assert.GreaterOrEqual(t, count("#rows .date h3"), 1)
		assert.Contains(t, text("#rows"), `<script>document.title="owned"</script>`)
		assert.Contains(t, text(".coming"), "看看")
		assert.LessOrEqual(t, browsertest.Value[int](p, `document.scrollingElement.scrollWidth`), browsertest.Value[int](p, `document.scrollingElement.clientWidth`), "%d px", s.Width)
		assert.True(t, browsertest.Value[bool](p, `(() => {
			const box = document.getElementById("rows").lastElementChild.getBoundingClientRect(), log = document.querySelector(".log").getBoundingClientRect()
			return box.bottom <= log.bottom + 1 && box.bottom > log.top && log.bottom < innerHeight && document.getElementById("text").getBoundingClientRect().top < innerHeight
		})()`), "the newest entry and the box are in sight: %d px", s.Width)
		// Each mark is inside the drawing and links to its line.
		assert.Zero(t, browsertest.Value[int](p, `[...document.querySelectorAll("svg circle")].filter(c => +c.getAttribute("cx") < 0 || +c.getAttribute("cx") > 1000).length`))
		assert.Zero(t, browsertest.Value[int](p, `[...document.querySelectorAll("svg a")].filter(a => !document.querySelector("li" + a.getAttribute("href"))).length`))
		assert.Empty(t, p.Pale("h1, h2, h3, p, time, .word, bdi, summary, label, button, svg text"), "what can't be read: WCAG 2 wants a contrast of 4.5")
		if *shots != "" {
			name := fmt.Sprintf("day-%d-%v.png", s.Width, s.Dark)
			require.NoError(t, os.WriteFile(filepath.Join(*shots, name), p.Screenshot(), 0o644))
		}
		p.Load(url + "bot/0/plans")
		assert.Contains(t, browsertest.Value[string](p, `document.querySelector("main").textContent`), "角色背景")
	}
}
