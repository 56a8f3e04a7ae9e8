package social_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pageOf = "get_group_msg_history"

// inGap runs a test with a being that has heard "以前的" and is away now; log is what it logs.
func inGap(t *testing.T, habits onebottest.Quirks, test func(b *bubble, log *bytes.Buffer)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{T: t, model: modeltest.Always(modeltest.Say("在")), store: memory.NewMemStore()}
		b.qq = onebottest.New(onebottest.Options{SelfID: bot, Quirks: habits})
		b.group = b.qq.Group(1, "技术群")
		var log bytes.Buffer
		b.start(func(o *social.Options) {
			o.Hooks.Logger = slog.New(slog.NewTextHandler(&log, nil))
			o.Link = onebotlink.New(b.qq.Client(onebot.Options{MaxBackoff: 10 * time.Second}), onebotlink.Options{}) // two waits are less than MaxAge
		})
		b.group.Say(alice, say("以前的"))
		b.pass(time.Minute)
		b.qq.RefuseConnections(true)
		b.qq.DropLinks()
		b.pass(time.Second)
		test(b, &log)
		b.stop()
		b.qq.Close()
	})
}

// miss has so many messages said that call the bot, the last alone so late that it is still to be answered when the bot is back.
func (b *bubble) miss(n int) (said []string) {
	for i := range n {
		if i == n-1 {
			b.pass(time.Hour)
		}
		said = append(said, fmt.Sprint("小炉 第", i))
		b.group.Say(alice, say(said[i]))
	}
	b.pass(time.Second)
	return said
}

func (b *bubble) back() {
	b.qq.RefuseConnections(false)
	b.pass(2 * time.Minute)
}

func TestGap_LongerThanAPage(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		for way, back := range map[string]func(b *bubble) (said []string){
			"reconnect": func(b *bubble) []string { b.back(); return nil },
			"restart": func(b *bubble) []string {
				b.stop()
				b.qq.RefuseConnections(false)
				b.start(nil)
				b.pass(2 * time.Minute)
				return nil
			},
			"messages come before the history": func(b *bubble) (said []string) {
				b.qq.WithholdResponse(pageOf, 1)
				before := len(b.qq.Calls(pageOf))
				b.qq.RefuseConnections(false)
				_, err := b.qq.WaitCalls(b.Context(), before+1, pageOf)
				require.NoError(b, err)
				for i := range 30 {
					said = append(said, fmt.Sprint("新", i))
					b.group.Say(bob, say(said[i]))
				}
				b.pass(15 * time.Second)
				b.qq.DropLinks()
				b.pass(2 * time.Minute)
				return said
			},
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				inGap(t, habits, func(b *bubble, log *bytes.Buffer) {
					said := append([]string{"以前的", "在"}, b.miss(701)...)
					said = append(said, back(b)...)
					assert.ElementsMatch(t, said, b.journal(techSpace), "each once")
					assert.Equal(t, []string{"在"}, b.sent(b.group.Chat()), "what is not too old is answered")
					assert.NotContains(t, log.String(), "a gap is larger")
				})
			})
		}
	}
}

func TestGap_Short(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			inGap(t, habits, func(b *bubble, _ *bytes.Buffer) {
				before := len(b.qq.Calls(pageOf))
				said := b.miss(50)
				b.back()
				assert.Len(t, b.journal(techSpace), len(said)+2)
				assert.Len(t, b.qq.Calls(pageOf), before+1, "a page is enough")
			})
		})
	}
}

func TestGap_LongerThanAllPages(t *testing.T) {
	inGap(t, onebottest.NapCat, func(b *bubble, log *bytes.Buffer) {
		said := b.miss(850)
		b.back()
		assert.ElementsMatch(t, append([]string{"以前的", "在"}, said[850-793:]...), b.journal(techSpace), "the newest")
		assert.Equal(t, 1, strings.Count(log.String(), "a gap is larger"))
		before := len(b.qq.Calls(pageOf))
		b.qq.DropLinks()
		b.pass(time.Minute)
		assert.Len(t, b.qq.Calls(pageOf), before+1, "it is not looked for again")
	})
}

// TestGap_ReadInPieces: while a long gap is read the link drops, or a page is not answered. The rest is read after the next
// connection, though newer messages are known by then.
func TestGap_ReadInPieces(t *testing.T) {
	for name, fault := range map[string]func(b *bubble){
		"the link drops":         func(b *bubble) { b.qq.DropLinks() },
		"a page is not answered": func(b *bubble) { b.qq.WithholdResponse(pageOf, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			inGap(t, onebottest.LLBot, func(b *bubble, log *bytes.Buffer) {
				said := append([]string{"以前的"}, b.miss(701)...)
				b.pass(time.Hour)
				before := len(b.qq.Calls(pageOf))
				b.qq.DelayResponse(pageOf, time.Second)
				b.qq.RefuseConnections(false)
				_, err := b.qq.WaitCalls(b.Context(), before+4, pageOf)
				require.NoError(b, err)
				b.pass(time.Millisecond)
				fault(b)
				b.pass(5 * time.Minute)
				assert.Contains(t, log.String(), "history was not fetched")
				b.qq.DropLinks()
				b.pass(5 * time.Minute)
				assert.ElementsMatch(t, said, b.journal(techSpace))
				assert.Empty(t, b.qq.Sent(), "all of them are too old")
				assert.NotContains(t, log.String(), "a gap is larger")
			})
		})
	}
}

// A knownLink notes which messages its user knows when it is asked for a history.
type knownLink struct {
	pastLink
	asked []string
}

func (l *knownLink) Features() social.LinkFeatures {
	return social.LinkFeatures{RecentMessages: l.recent}
}

func (l *knownLink) recent(ctx context.Context, c persona.Chat, known func(persona.Message) bool) ([]persona.Message, error) {
	past, err := l.pastLink.recent(ctx, c, known)
	is := ""
	for _, m := range past {
		if known != nil && known(m) {
			is += m.ID
		}
	}
	l.asked = append(l.asked, is)
	return past, err
}

// TestGap_MessageBeforeTheConnection: chats are not in order with the connection. A message that is handled before it does not show
// how far back a history must be read, an earlier one does.
func TestGap_MessageBeforeTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake()
		link := &knownLink{pastLink: pastLink{fakeLink: f}}
		_, stop := liveOn(t, link, counted(), memory.NewMemStore(), nil)
		m1 := heard("1", "a", "x")
		f.in <- m1
		after(time.Hour)
		m2 := heard("2", "a", "x")
		f.past[room1] = []persona.Message{m1, m2}
		f.in <- m2
		f.in <- persona.Connected{}
		after(time.Minute)
		f.in <- persona.MessagesLost{Chat: room1, Count: 1} // both are known by now
		after(time.Minute)
		stop()
		assert.Equal(t, []string{"1", "12"}, link.asked)
	})
}

// TestGap_OpensAgainWhileItIsRead: the gap that opened first is still the one to be read back to.
func TestGap_OpensAgainWhileItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake()
		link := &knownLink{pastLink: pastLink{fakeLink: f}}
		_, stop := liveOn(t, link, counted(), memory.NewMemStore(), nil)
		m := []persona.Message{heard("1", "a", "x"), heard("2", "a", "x"), heard("3", "a", "x")}
		f.past[room1] = m
		f.in <- m[0]
		after(time.Second)
		f.slow = 5 * time.Second
		f.in <- persona.MessagesLost{Chat: room1, Count: 1}
		f.in <- m[1]
		after(time.Second)
		f.in <- persona.MessagesLost{Chat: room1, Count: 1} // the history was asked for before
		after(time.Minute)
		f.in <- persona.MessagesLost{Chat: room1, Count: 1}
		after(time.Minute)
		stop()
		assert.Equal(t, []string{"1", "1", "123"}, link.asked)
	})
}
