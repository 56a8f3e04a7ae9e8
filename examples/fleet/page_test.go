package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/stretchr/testify/assert"
)

// The page works in a browser, on a phone and on a desktop, and its buttons do what they say.
func TestPage(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("real processes and a browser take a while")
	}
	b := browsertest.Open(t)
	d := newDrill(t, "-accounts", "4", "-processes", "2", "-lease", "2s", "-every", "1s", "-speed", "10", "-seed", "3")
	server := httptest.NewServer(still(d.handler()))
	defer server.Close()
	var p *browsertest.Page
	for _, look := range []struct {
		browsertest.Screen
		lang, title string
	}{
		{browsertest.Screen{Width: 360, Height: 740, Touch: true}, "en", "Many bots, many processes"},
		{browsertest.Screen{Width: 1280, Height: 900, Dark: true}, "zh", "很多机器人，很多进程"},
	} {
		p = b.Page(look.Screen)
		p.Load(server.URL + "/?lang=" + look.lang)
		about := fmt.Sprint(look)
		assert.Equal(t, look.title+" · hearth", browsertest.Value[string](p, `document.title`), about)
		assert.LessOrEqual(t, browsertest.Value[int](p, `document.scrollingElement.scrollWidth`), look.Width, about)
		assert.Empty(t, p.Pale("h1, h2, p, th, td, a, button, time"), about)
		assert.Empty(t, p.Errors(), about)
	}
	shows := func(text string) func() bool {
		return func() bool {
			p.Load(server.URL + "/?lang=zh")
			return strings.Contains(browsertest.Value[string](p, `document.body.innerText`), text)
		}
	}
	press := func(action, id string) {
		p.Load(server.URL + "/?lang=zh")
		p.Eval(fmt.Sprintf(`[...document.querySelectorAll("form")].find(f => f.action.endsWith("/%s") && f.id.value === %q).querySelector("button").click()`, action, id), nil)
	}
	press("kill", "p1")
	d.until("p1 has ended", func() bool { return d.isGone("p1") })
	d.until("p2 has the bots of p1", d.settled)
	d.until("the page shows the takeover", shows("\tp1\tp2\t"))
	press("add", "")
	d.until("p3 runs", func() bool { return slices.Contains(d.ids(running), "p3") })
	d.until("the page shows p3", shows("p3\t"))
	d.until("p3 has its share", d.shared)
	assert.Empty(t, p.Errors())
}

// still returns a handler whose pages do not reload themselves, so that a browser can be asked at any time.
func still(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := httptest.NewRecorder()
		h.ServeHTTP(page, r)
		maps.Copy(w.Header(), page.Header())
		w.WriteHeader(page.Code)
		w.Write(bytes.Replace(page.Body.Bytes(), []byte(`http-equiv="refresh"`), []byte(`name="refresh"`), 1))
	})
}
