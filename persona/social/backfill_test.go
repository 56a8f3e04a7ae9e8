package social_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
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

// withGap runs a test with a bot that has received "以前的" and is stopped. log receives its log.
func withGap(t *testing.T, habits onebottest.Quirks, test func(f *fixture, log *bytes.Buffer)) {
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, model: modeltest.Always(modeltest.Say("在")), store: memory.NewMemStore()}
		f.qq = onebottest.New(onebottest.Options{SelfID: botID, Quirks: habits})
		f.group = f.qq.Group(1, "技术群")
		var log bytes.Buffer
		f.start(func(o *social.Options) {
			o.Hooks.Logger = slog.New(slog.NewTextHandler(&log, nil))
			o.Link = onebotlink.New(f.qq.Client(onebot.Options{MaxBackoff: 10 * time.Second}), onebotlink.Options{}) // two reconnects take less than MaxAge
		})
		f.group.Say(alice, say("以前的"))
		f.advance(time.Minute)
		f.qq.RefuseConnections(true)
		f.qq.DropLinks()
		f.advance(time.Second)
		test(f, &log)
		f.stop()
		f.qq.Close()
	})
}

// miss sends n messages that mention the bot while it is away. Only the last is recent enough to be answered when it is
// back.
func (f *fixture) miss(n int) (said []string) {
	for i := range n {
		if i == n-1 {
			f.advance(time.Hour)
		}
		said = append(said, fmt.Sprint("小炉 第", i))
		f.group.Say(alice, say(said[i]))
	}
	f.advance(time.Second)
	return said
}

func (f *fixture) back() {
	f.qq.RefuseConnections(false)
	f.advance(2 * time.Minute)
}

func TestBackfill_SeveralPages(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		for way, back := range map[string]func(f *fixture) (said []string){
			"reconnect": func(f *fixture) []string { f.back(); return nil },
			"restart": func(f *fixture) []string {
				f.stop()
				f.qq.RefuseConnections(false)
				f.start(nil)
				f.advance(2 * time.Minute)
				return nil
			},
			"messages come before the history": func(f *fixture) (said []string) {
				f.qq.WithholdResponse(pageOf, 1)
				before := len(f.qq.Calls(pageOf))
				f.qq.RefuseConnections(false)
				_, err := f.qq.WaitCalls(f.Context(), before+1, pageOf)
				require.NoError(f, err)
				for i := range 30 {
					said = append(said, fmt.Sprint("新", i))
					f.group.Say(bob, say(said[i]))
				}
				f.advance(15 * time.Second)
				f.qq.DropLinks()
				f.advance(2 * time.Minute)
				return said
			},
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				withGap(t, habits, func(f *fixture, log *bytes.Buffer) {
					said := append([]string{"以前的", "在"}, f.miss(701)...)
					said = append(said, back(f)...)
					assert.ElementsMatch(t, said, f.journal(techSpace), "each once")
					assert.Equal(t, []string{"在"}, f.sent(f.group.Chat()), "recent messages are answered")
					assert.NotContains(t, log.String(), "a gap is larger")
				})
			})
		}
	}
}

func TestBackfill_OnePage(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			withGap(t, habits, func(f *fixture, _ *bytes.Buffer) {
				before := len(f.qq.Calls(pageOf))
				said := f.miss(50)
				f.back()
				assert.Len(t, f.journal(techSpace), len(said)+2)
				assert.Len(t, f.qq.Calls(pageOf), before+1, "one page is enough")
			})
		})
	}
}

func TestBackfill_LongerThanAllPages(t *testing.T) {
	withGap(t, onebottest.NapCat, func(f *fixture, log *bytes.Buffer) {
		said := f.miss(850)
		f.back()
		assert.ElementsMatch(t, append([]string{"以前的", "在"}, said[850-793:]...), f.journal(techSpace), "the newest pages")
		assert.Equal(t, 1, strings.Count(log.String(), "a gap is larger"))
		before := len(f.qq.Calls(pageOf))
		f.qq.DropLinks()
		f.advance(time.Minute)
		assert.Len(t, f.qq.Calls(pageOf), before+1, "the gap is not read again")
	})
}

// While a long gap is read, the link drops or a page gets no response. The rest is read after the next connection,
// although newer messages are known by then.
func TestBackfill_Interrupted(t *testing.T) {
	for name, fault := range map[string]func(f *fixture){
		"the link drops":         func(f *fixture) { f.qq.DropLinks() },
		"a page is not answered": func(f *fixture) { f.qq.WithholdResponse(pageOf, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			withGap(t, onebottest.LLBot, func(f *fixture, log *bytes.Buffer) {
				said := append([]string{"以前的"}, f.miss(701)...)
				f.advance(time.Hour)
				before := len(f.qq.Calls(pageOf))
				f.qq.DelayResponse(pageOf, time.Second)
				f.qq.RefuseConnections(false)
				_, err := f.qq.WaitCalls(f.Context(), before+4, pageOf)
				require.NoError(f, err)
				f.advance(time.Millisecond)
				fault(f)
				f.advance(5 * time.Minute)
				assert.Contains(t, log.String(), "history was not fetched")
				f.qq.DropLinks()
				f.advance(5 * time.Minute)
				assert.ElementsMatch(t, said, f.journal(techSpace))
				assert.Empty(t, f.qq.Sent(), "all messages are too old")
				assert.NotContains(t, log.String(), "a gap is larger")
			})
		})
	}
}

// A knownLink records the messages that its user reports as known.
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

// Chats and the connection are not ordered. A message handled before the connection event does not limit how far back
// the history is read; an earlier message does.
func TestBackfill_MessageBeforeConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake()
		link := &knownLink{pastLink: pastLink{fakeLink: f}}
		_, stop := startBot(t, link, numbered(), memory.NewMemStore(), nil)
		m1 := newMessage("1", "a", "x")
		f.events <- m1
		advance(time.Hour)
		m2 := newMessage("2", "a", "x")
		f.past[group1] = []persona.Message{m1, m2}
		f.events <- m2
		f.events <- persona.Connected{}
		advance(time.Minute)
		f.events <- persona.MessagesLost{Chat: group1, Count: 1} // both are known by now
		advance(time.Minute)
		stop()
		assert.Equal(t, []string{"1", "12"}, link.asked)
	})
}

// A second gap does not move the point to which the first one has to be read.
func TestBackfill_SecondGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake()
		link := &knownLink{pastLink: pastLink{fakeLink: f}}
		_, stop := startBot(t, link, numbered(), memory.NewMemStore(), nil)
		m := []persona.Message{newMessage("1", "a", "x"), newMessage("2", "a", "x"), newMessage("3", "a", "x")}
		f.past[group1] = m
		f.events <- m[0]
		advance(time.Second)
		f.slow = 8 * time.Second // longer than a message waits for it
		f.events <- persona.MessagesLost{Chat: group1, Count: 1}
		f.events <- m[1]
		advance(time.Second)
		f.events <- persona.MessagesLost{Chat: group1, Count: 1} // the history was requested before this event
		advance(time.Minute)
		f.events <- persona.MessagesLost{Chat: group1, Count: 1}
		advance(time.Minute)
		stop()
		assert.Equal(t, []string{"1", "1", "123"}, link.asked)
	})
}

// A message that comes while the history before it is read is stored behind it. Messages of other chats do not wait for it, and a
// history that does not come delays them for seconds at most.
func TestBackfill_KeepsOrder(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			withGap(t, habits, func(f *fixture, _ *bytes.Buffer) {
				said := append([]string{"以前的"}, f.miss(30)...)
				before := len(f.qq.Calls(pageOf))
				f.qq.DelayResponse(pageOf, 3*time.Second)
				f.qq.RefuseConnections(false)
				_, err := f.qq.WaitCalls(f.Context(), before+1, pageOf)
				require.NoError(f, err)
				said = append(said, "现在的")
				f.group.Say(bob, say("现在的"))
				other := f.qq.Group(2, "别的群")
				other.Say(bob, say("别处的"))
				f.advance(time.Second)
				assert.Equal(t, []string{"别处的"}, f.journal("qq:group:2"), "no other chat waits")
				assert.Equal(t, []string{"以前的"}, f.journal(techSpace), "control: the history has not come yet")
				f.advance(2 * time.Minute)
				heard := slices.DeleteFunc(f.journal(techSpace), func(text string) bool { return text == "在" })
				assert.Equal(t, said, heard)
			})
		})
	}
}

// A history that does not come delays messages for seconds.
func TestBackfill_NoHistory(t *testing.T) {
	withGap(t, onebottest.NapCat, func(f *fixture, _ *bytes.Buffer) {
		before := len(f.qq.Calls(pageOf))
		f.qq.WithholdResponse(pageOf, 1)
		f.qq.RefuseConnections(false)
		_, err := f.qq.WaitCalls(f.Context(), before+1, pageOf)
		require.NoError(f, err)
		for _, text := range []string{"一", "二", "三"} {
			f.group.Say(bob, say(text))
		}
		f.advance(4 * time.Second)
		assert.Equal(t, []string{"以前的"}, f.journal(techSpace), "control: they wait")
		f.advance(2 * time.Second)
		assert.Equal(t, []string{"以前的", "一", "二", "三"}, f.journal(techSpace))
	})
}
