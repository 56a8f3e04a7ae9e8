package inspect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The owner talks by keyboard in one tab. The talk appears in another one, too, survives a reload, and leaves when it is erased. The
// newest entry stays in sight.
func TestPages_DayLive(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	h := newHouse(t, modeltest.Always(modeltest.Say("<item>在的 "+hostile+"</item><item>什么事</item>")))
	screen := browsertest.Screen{Width: 1280, Height: 900}
	one := signIn(t, b, h.server.URL, screen)
	two := b.Page(screen)
	for _, p := range []*browsertest.Page{one, two} {
		p.Load(h.server.URL + "/bot/0/day")
	}
	shows := func(p *browsertest.Page, text string) func() bool {
		return func() bool {
			return strings.Contains(browsertest.Value[string](p, `document.getElementById("rows").textContent`), text)
		}
	}
	eventually := func(ok func() bool, about ...any) {
		t.Helper()
		require.Eventually(t, ok, time.Minute, 50*time.Millisecond, about...)
	}
	inSight := func(p *browsertest.Page) bool {
		return browsertest.Value[bool](p, `(() => {
			const last = document.getElementById("rows").lastElementChild.getBoundingClientRect(), log = document.querySelector(".log").getBoundingClientRect()
			return last.bottom <= log.bottom + 1 && log.bottom <= innerHeight
		})()`)
	}
	for i := range 20 { // more than the page is high
		h.talk(ownerToken, fmt.Sprint("第 ", i, " 句"))
	}
	const text = "键盘说的 " + hostile
	one.Eval(fmt.Sprintf(`document.getElementById("text").focus(), document.getElementById("text").value = %q`, text), nil)
	one.Press("Enter")
	eventually(shows(one, text), "it is said")
	eventually(func() bool {
		return browsertest.Value[string](one, `document.getElementById("state").textContent`) == ""
	}, "it is answered")
	for name, p := range map[string]*browsertest.Page{"one": one, "two": two} {
		eventually(shows(p, "什么事"), name)
		eventually(shows(p, text), name)
		eventually(func() bool {
			return browsertest.Value[int](p, `document.querySelectorAll("#rows .reply").length`) == 21 && browsertest.Value[int](p, `document.querySelectorAll("#answer li").length`) == 0
		}, name)
		eventually(func() bool { return inSight(p) }, name)
		assert.Equal(t, 21, browsertest.Value[int](p, `document.querySelectorAll("#rows .owner").length`), "each once")
		assert.Equal(t, browsertest.Value[int](p, `new Set([...document.querySelectorAll("#rows .row")].map(r => r.dataset.day)).size`), browsertest.Value[int](p, `document.querySelectorAll("#rows .date").length`), "one for each day")
		assert.Equal(t, "小炉 · hearth", browsertest.Value[string](p, `document.title`), "words are words")
	}
	one.Eval(`document.querySelector(".log").scrollTop = -9999`, nil)
	h.calls("在吗")
	eventually(shows(one, "@小炉 在吗"))
	assert.False(t, inSight(one), "who reads what was before is left there")
	two.Load(h.server.URL + "/bot/0/day")
	assert.True(t, shows(two, "第 0 句")(), "a reload shows the talk again")
	assert.True(t, inSight(two))

	h.group.Say(ann, onebot.Message{onebot.Text("闲聊")})
	h.group.Say(ann, onebot.Message{onebot.Text("再闲聊")})
	for name, p := range map[string]*browsertest.Page{"one": one, "two": two} {
		eventually(shows(p, "再闲聊"), name)
		assert.Equal(t, "2", browsertest.Value[string](p, `document.getElementById("rows").lastElementChild.querySelector("summary span").textContent`), "dull lines are folded")
	}
	_, err := h.bot.ErasePerson(t.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
	require.NoError(t, err)
	for name, p := range map[string]*browsertest.Page{"one": one, "two": two} {
		eventually(func() bool { return !shows(p, "闲聊")() }, "what was erased leaves an open page: %s", name)
		assert.Empty(t, p.Errors(), name)
	}
}

// On a phone the newest entry and the box are on the screen, and the button sends.
func TestPages_DayTouch(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser gains nothing from the race detector")
	}
	b := browsertest.Open(t)
	h := newHouse(t, modeltest.Always(modeltest.Say("在的")))
	for i := range 30 {
		h.talk(ownerToken, fmt.Sprint("第 ", i, " 句"))
	}
	screen := browsertest.Screen{Width: 360, Height: 740, Touch: true}
	signIn(t, b, h.server.URL, screen)
	p := b.Page(screen)
	p.Load(h.server.URL + "/bot/0/day")
	assert.Zero(t, browsertest.Value[int](p, `scrollY`))
	assert.True(t, browsertest.Value[bool](p, `(() => {
		const last = document.getElementById("rows").lastElementChild.getBoundingClientRect(), send = document.querySelector("#talk button").getBoundingClientRect()
		return last.bottom < send.top && send.bottom <= innerHeight && last.top > 0
	})()`), "the newest entry and the button are on the screen")
	p.Eval(`document.getElementById("text").value = "用手说"`, nil)
	p.Tap("#talk button")
	require.Eventually(t, func() bool {
		return strings.Contains(browsertest.Value[string](p, `document.getElementById("rows").textContent`), "用手说")
	}, time.Minute, 50*time.Millisecond)
}
