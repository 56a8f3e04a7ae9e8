package browsertest

import (
	"bytes"
	"image/png"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The browser's effects are visible to the tests. Otherwise the other tests would pass on any page.
func TestBrowser(t *testing.T) {
	b := Open(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(`<!doctype html><meta name=viewport content="width=device-width"><style>
			body { margin: 0; background: white } button:hover, button:focus { color: red }
			@media (prefers-color-scheme: dark) { body { background: black } } div { width: 500px }
			</style><img src=/missing><button>a button</button><div>wide</div><script>console.log("hello")</script>`))
	}))
	defer server.Close()
	p := b.Page(Screen{Width: 360, Height: 640, Touch: true})
	assert.Positive(t, p.Load(server.URL))
	assert.Contains(t, p.Requests(), server.URL+"/missing")
	assert.Contains(t, p.Errors()[0]+p.Errors()[1], "hello")

	look := func(expression string) (got any) { p.Eval(expression, &got); return got }
	assert.EqualValues(t, 500, look(`document.scrollingElement.scrollWidth`))
	assert.Equal(t, "rgb(255, 255, 255)", look(`getComputedStyle(document.body).backgroundColor`))
	const color = `getComputedStyle(document.querySelector("button")).color`
	assert.Equal(t, "rgb(0, 0, 0)", look(color))
	p.Press("Tab")
	assert.Equal(t, "rgb(255, 0, 0)", look(color), "focus")
	p.Show(Screen{Width: 800, Height: 600, Dark: true})
	assert.Equal(t, "rgb(0, 0, 0)", look(`getComputedStyle(document.body).backgroundColor`))
	p.Eval(`document.activeElement.blur()`, nil)
	assert.NotEqual(t, "rgb(255, 0, 0)", look(color))
	p.Hover("button")
	assert.Equal(t, "rgb(255, 0, 0)", look(color), "hover")

	shot, err := png.Decode(bytes.NewReader(p.Screenshot()))
	require.NoError(t, err)
	assert.Equal(t, 800, shot.Bounds().Dx())

	two := b.Page(Screen{Width: 800, Height: 600})
	two.Load(server.URL)
	require.Equal(t, "visible", look(`document.visibilityState`), "also with a second tab")
	p.Load(server.URL)
	p.Press("Tab")
	assert.Equal(t, "rgb(255, 0, 0)", look(color), "keys go to the tab that is asked")
}
