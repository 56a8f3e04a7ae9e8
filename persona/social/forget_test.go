package social_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is to be forgotten, and in every text of whom.
const (
	victim = 70100417
	secret = "密语7f3a"
	grudge = "密谋9c1b" // what the others of the forgotten chat say
)

var sender = regexp.MustCompile(`sender_id="(\d+)"`)

// parrot echoes all that it reads, also to the chat where it is alone with somebody, or, if it is indiscreet, to any.
func parrot(indiscreet bool) *modeltest.Model {
	var said atomic.Int64
	return modeltest.Func(answering(func(p modeltest.Prompt) string {
		n := said.Add(1)
		human := p.Human()
		words := strings.Join(regexp.MustCompile(secret+`\d*|`+grudge+`\d*`).FindAllString(human, -1), " ")
		_, task, _ := strings.Cut(human, "## 现在：")
		switch task, _, _ = strings.Cut(task, "\n"); task {
		case "记":
			return "都说了 " + words
		case "梦":
			return fmt.Sprintf(`{"insights": [{"text": "有人说 %s", "importance": 0.9}]}`, words)
		case "看人":
			var people []string
			for _, who := range sender.FindAllStringSubmatch(human, -1) {
				people = append(people, fmt.Sprintf(`{"id": "%s", "feeling": "happy", "impression": "说过 %s"}`, who[1], words))
			}
			return fmt.Sprintf(`{"people": [%s], "names": [{"id": "%d", "name": "%s", "sure": true}]}`, strings.Join(people, ","), victim, secret)
		}
		if indiscreet || strings.Contains(human, `<session type="private"`) {
			return fmt.Sprint("你说 ", words, n)
		}
		return fmt.Sprint("嗯", n)
	}))
}

// A household is a being with a file, and people who talk in three groups and in private.
type household struct {
	*testing.T
	qq     *onebottest.Server
	path   string
	db     *sqlite.DB
	being  *social.Bot
	groups []*onebottest.Group
	friend *onebottest.Friend
	model  *modeltest.Model
	flow   bool
	stop   func()
}

func inHousehold(t *testing.T, flow, indiscreet bool, test func(*household)) {
	synctest.Test(t, func(t *testing.T) {
		h := &household{T: t, model: parrot(indiscreet), flow: flow, path: filepath.Join(t.TempDir(), "being.db")}
		h.qq = onebottest.New(onebottest.Options{SelfID: bot, Nickname: "小炉"})
		for i, name := range []string{"技术群", "密室", "闲聊"} {
			g := h.qq.Group(int64(500001+i), name)
			g.Member(alice, "张三")
			g.Member(victim, "王"+secret)
			h.groups = append(h.groups, g)
		}
		h.friend = h.qq.Friend(victim, "王"+secret)
		h.start()
		test(h)
		h.end()
		h.qq.Close()
	})
}

func (h *household) start() {
	db, err := sqlite.Open(h.path, sqlite.Options{})
	require.NoError(h, err)
	o := social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: h.model, Link: onebotlink.New(h.qq.Client(onebot.Options{}), onebotlink.Options{}), Storage: social.Storage{Store: db}, Location: time.UTC, Hooks: social.Hooks{Logger: logger()},
		Background: social.Background{Digest: &social.Digest{Summary: memory.SummaryOptions{Turns: 2}, Dream: memory.DreamOptions{Hour: 1}}},
	}
	o.When.Attention.Seed = 1
	if h.flow {
		o.When.HFC, o.Reply.Strategy = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}, social.ThinkPlanReply
	}
	h.db = db
	h.being, err = social.New(o)
	require.NoError(h, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.being.Run(ctx) }()
	h.stop = func() { cancel(); require.NoError(h, <-ended) }
	synctest.Wait()
}

func (h *household) end() {
	h.stop()
	require.NoError(h, h.db.Close())
}

func (h *household) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// talk lets all say something, before and after a night.
func (h *household) talk() {
	for i := range 8 {
		text := func(words string) string { return fmt.Sprint(words, i, " 小炉你说呢") }
		for j, g := range h.groups {
			g.Say(victim, say(text(secret)))
			id := g.Say(alice, onebot.Message{onebot.Reply(h.friend.Say(say(text(secret)))), onebot.Text(text([]string{"今天好冷", grudge, "吃了吗"}[j]))})
			if i == 6 {
				h.qq.Recall(id)
			}
		}
		h.pass(20 * time.Minute)
	}
	for _, g := range h.groups { // in the buffer
		g.Say(victim, say(secret+"在等"))
	}
}

// found counts the places of some words in the being's files.
func (h *household) found(words string) (n int) {
	files, err := filepath.Glob(h.path + "*")
	require.NoError(h, err)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(h, err)
		n += bytes.Count(b, []byte(words))
	}
	return n
}

func TestForgetPerson(t *testing.T) {
	for name, flow := range map[string]bool{"one call": false, "flow": true} {
		t.Run(name, func(t *testing.T) {
			if flow && testing.Short() {
				t.Skip("one of two ways of living")
			}
			inHousehold(t, flow, false, func(h *household) { // what it has said itself in groups stays, as what others said
				h.talk()
				require.Greater(t, h.found(secret), 100)
				require.Greater(t, h.found(fmt.Sprint(victim)), 20)
				who := persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}
				var progress []int
				n, err := h.being.ErasePerson(context.Background(), who, func(done, total int) { progress = append(progress, done*100/total) })
				require.NoError(t, err)
				assert.Greater(t, n, 32)
				assert.Equal(t, 100, progress[len(progress)-1])
				h.pass(time.Minute)

				gone := func(when string) {
					t.Helper()
					assert.Zero(t, h.found(secret), when)
					assert.Zero(t, h.found(fmt.Sprint(victim)), when)
				}
				gone("at once")
				assert.Positive(t, h.found(grudge), "what others said stays")
				h.end()
				h.start()
				h.qq.DropLinks() // and it looks through the history of the platform
				h.pass(5 * time.Minute)
				gone("after the platform's history")
				assert.Positive(t, h.being.Stats().Erased)

				h.groups[0].Say(victim, say("小炉你还记得我吗"))
				h.pass(time.Minute)
				assert.Positive(t, h.found("还记得我吗"), "who is forgotten may be met again")
			})
		})
	}
}

func TestForgetChat(t *testing.T) {
	for name, flow := range map[string]bool{"one call": false, "flow": true} {
		t.Run(name, func(t *testing.T) {
			if flow && testing.Short() {
				t.Skip("one of two ways of living")
			}
			inHousehold(t, flow, true, func(h *household) {
				h.talk()
				require.Greater(t, h.found(grudge), 20)
				chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "500002"}
				n, err := h.being.EraseChat(context.Background(), chat, nil)
				require.NoError(t, err)
				assert.Greater(t, n, 10)
				h.pass(time.Minute)
				for _, when := range []string{"at once", "after the platform's history"} {
					assert.Zero(t, h.found(grudge), when)
					assert.Zero(t, h.found("500002"), when)
					assert.Zero(t, h.found("密室"), when)
					assert.Positive(t, h.found(secret), "other chats stay")
					h.end()
					h.start()
					h.groups[1].Member(1009, "新人")
					h.qq.DropLinks()
					h.pass(5 * time.Minute)
				}
				h.groups[1].Say(alice, say("小炉又见面了"))
				h.pass(time.Minute)
				assert.Positive(t, h.found("又见面了"))
				h.qq.DropLinks() // now it is known again
				h.pass(5 * time.Minute)
				assert.Zero(t, h.found(grudge))
				assert.Positive(t, h.being.Stats().Erased)
			})
		})
	}
}

// TestForgettingKilled: whenever the process dies while it forgets, the next start ends that.
func TestForgettingKilled(t *testing.T) {
	who, chat := persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}, persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	for name, forget := range map[string]func(*social.Bot) error{
		"person": func(b *social.Bot) error {
			_, err := b.ErasePerson(context.Background(), who, nil)
			return err
		},
		"chat": func(b *social.Bot) error { _, err := b.EraseChat(context.Background(), chat, nil); return err },
	} {
		t.Run(name, func(t *testing.T) {
			for doom := 1; ; doom++ {
				died := false
				for how := range 3 {
					if testing.Short() && how != doom%3 {
						continue
					}
					inBubble(t, parrot(name == "chat"), layered(func(l *social.Digest) { l.Summary.Turns = 1 }), func(b *bubble) {
						b.group.Member(victim, "王"+secret)
						for range 3 {
							b.group.Say(victim, say("小炉 "+secret))
							b.pass(time.Minute)
						}
						b.stop()
						require.Contains(b, everything(b), secret, "there is something to forget")
						died = killedForgetting(b, forget, doom, how) || died
						left := everything(b)
						require.NotContains(b, left, secret, "write %d, %d", doom, how)
						require.NotContains(b, left, map[string]string{"person": fmt.Sprint(victim), "chat": chat.String()}[name], "write %d, %d", doom, how)
					})
				}
				if !died {
					assert.Greater(t, doom, 6, "hardly anything was written")
					break
				}
			}
		})
	}
}

// killedForgetting has a being forget that dies at a write, and then one live that finishes it. Who dies before it is noted what to forget is asked again.
func killedForgetting(b *bubble, forget func(*social.Bot) error, doom, how int) (died bool) {
	s := &mortal{MemStore: b.store}
	being, end := b.live(s, nil)
	b.pass(time.Minute) // what it counts is written by then
	s.doom(doom, how)
	err := forget(being)
	require.Equal(b, s.died() && !(how == 2 && err == nil), err != nil)
	end()
	died = s.died()
	being, end = b.live(b.store, nil)
	if died && doom <= 2 {
		require.NoError(b, forget(being))
	}
	b.pass(time.Minute)
	end()
	return died
}

// everything is what a store holds.
func everything(b *bubble) string {
	var s strings.Builder
	spaces, err := b.store.Spaces(b.Context())
	require.NoError(b, err)
	for _, space := range spaces {
		for r := range b.store.Scan(b.Context(), space, 0) {
			fmt.Fprintf(&s, "%+v\n", r)
		}
	}
	rows, err := b.store.Load(b.Context(), "")
	require.NoError(b, err)
	for key, row := range rows {
		fmt.Fprintf(&s, "%s: %s\n", key, row)
	}
	return s.String()
}
