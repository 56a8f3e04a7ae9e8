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

// victim is the erased person. All their messages contain secret.
const (
	victim      = 70100417
	secret      = "密语7f3a"
	otherSecret = "密谋9c1b" // in messages of others in the erased chat
)

var sender = regexp.MustCompile(`sender_id="(\d+)"`)

// parrot echoes its whole prompt, also to private chats, and if indiscreet is true, to every chat.
func parrot(indiscreet bool) *modeltest.Model {
	var said atomic.Int64
	return modeltest.Func(answering(func(p modeltest.Prompt) string {
		n := said.Add(1)
		human := p.Human()
		words := strings.Join(regexp.MustCompile(secret+`\d*|`+otherSecret+`\d*`).FindAllString(human, -1), " ")
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

// An eraseFixture is a bot with a database file, and people in three groups and in private chats.
type eraseFixture struct {
	*testing.T
	qq     *onebottest.Server
	path   string
	db     *sqlite.DB
	bot    *social.Bot
	groups []*onebottest.Group
	friend *onebottest.Friend
	model  *modeltest.Model
	flow   bool
	stop   func()
}

func withEraseFixture(t *testing.T, flow, indiscreet bool, test func(*eraseFixture)) {
	synctest.Test(t, func(t *testing.T) {
		f := &eraseFixture{T: t, model: parrot(indiscreet), flow: flow, path: filepath.Join(t.TempDir(), "bot.db")}
		f.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉"})
		for i, name := range []string{"技术群", "密室", "闲聊"} {
			g := f.qq.Group(int64(500001+i), name)
			g.Member(alice, "张三")
			g.Member(victim, "王"+secret)
			f.groups = append(f.groups, g)
		}
		f.friend = f.qq.Friend(victim, "王"+secret)
		f.start()
		test(f)
		f.end()
		f.qq.Close()
	})
}

func (f *eraseFixture) start() {
	db, err := sqlite.Open(f.path, sqlite.Options{})
	require.NoError(f, err)
	o := social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: f.model, Link: onebotlink.New(f.qq.Client(quiet), onebotlink.Options{}), Storage: social.Storage{Store: db}, Location: time.UTC, Hooks: social.Hooks{Logger: logger()},
		Background: social.Background{Digest: &social.Digest{Summary: memory.SummaryOptions{Turns: 2}, Dream: memory.DreamOptions{Hour: 1}}},
	}
	o.When.Attention.Seed = 1
	if f.flow {
		o.When.HFC, o.Reply.Strategy = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}, social.ThinkPlanReply
	}
	f.db = db
	f.bot, err = social.New(o)
	require.NoError(f, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.bot.Run(ctx) }()
	f.stop = func() { cancel(); require.NoError(f, <-ended) }
	synctest.Wait()
}

func (f *eraseFixture) end() {
	f.stop()
	require.NoError(f, f.db.Close())
}

func (f *eraseFixture) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// writeAll lets everybody write, before and after a night.
func (f *eraseFixture) writeAll() {
	for i := range 8 {
		text := func(words string) string { return fmt.Sprint(words, i, " 小炉你说呢") }
		for j, g := range f.groups {
			g.Say(victim, say(text(secret)))
			id := g.Say(alice, onebot.Message{onebot.Reply(f.friend.Say(say(text(secret)))), onebot.Text(text([]string{"今天好冷", otherSecret, "吃了吗"}[j]))})
			if i == 6 {
				f.qq.Recall(id)
			}
		}
		f.advance(20 * time.Minute)
	}
	for _, g := range f.groups { // stays in the buffer
		g.Say(victim, say(secret+"在等"))
	}
}

// found counts the occurrences of some words in the bot's files.
func (f *eraseFixture) found(words string) (n int) {
	files, err := filepath.Glob(f.path + "*")
	require.NoError(f, err)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		n += bytes.Count(b, []byte(words))
	}
	return n
}

func TestBot_ErasePerson(t *testing.T) {
	for name, flow := range map[string]bool{"one call": false, "flow": true} {
		t.Run(name, func(t *testing.T) {
			if flow && testing.Short() {
				t.Skip("slow: one of two strategies")
			}
			withEraseFixture(t, flow, false, func(f *eraseFixture) { // the bot's own messages in groups stay, like those of others
				f.writeAll()
				require.Greater(t, f.found(secret), 100)
				require.Greater(t, f.found(fmt.Sprint(victim)), 20)
				who := persona.Account{Platform: "qq", ID: fmt.Sprint(victim)}
				var progress []int
				preview, err := f.bot.PreviewErasePerson(context.Background(), who)
				require.NoError(t, err)
				require.Greater(t, f.found(secret), 100, "a preview erases nothing")
				n, err := f.bot.ErasePerson(context.Background(), who, func(done, total int) { progress = append(progress, done*100/total) })
				require.NoError(t, err)
				assert.Greater(t, n, 32)
				assert.Len(t, preview.Deleted, n)
				assert.NotEmpty(t, preview.People)
				assert.NotEmpty(t, preview.Summaries)
				assert.Equal(t, 100, progress[len(progress)-1])
				f.advance(time.Minute)

				gone := func(when string) {
					t.Helper()
					assert.Zero(t, f.found(secret), when)
					assert.Zero(t, f.found(fmt.Sprint(victim)), when)
				}
				gone("at once")
				assert.Positive(t, f.found(otherSecret), "messages of others stay")
				f.end()
				f.start()
				f.qq.DropLinks() // makes it read the platform's history
				f.advance(5 * time.Minute)
				gone("after the platform's history")
				assert.Positive(t, f.bot.Stats().Erased)

				f.groups[0].Say(victim, say("小炉你还记得我吗"))
				f.advance(time.Minute)
				assert.Positive(t, f.found("还记得我吗"), "later messages of the person are stored")
			})
		})
	}
}

func TestBot_EraseChat(t *testing.T) {
	for name, flow := range map[string]bool{"one call": false, "flow": true} {
		t.Run(name, func(t *testing.T) {
			if flow && testing.Short() {
				t.Skip("slow: one of two strategies")
			}
			withEraseFixture(t, flow, true, func(f *eraseFixture) {
				f.writeAll()
				require.Greater(t, f.found(otherSecret), 20)
				chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "500002"}
				n, err := f.bot.EraseChat(context.Background(), chat, nil)
				require.NoError(t, err)
				assert.Greater(t, n, 10)
				f.advance(time.Minute)
				for _, when := range []string{"at once", "after the platform's history"} {
					assert.Zero(t, f.found(otherSecret), when)
					assert.Zero(t, f.found("500002"), when)
					assert.Zero(t, f.found("密室"), when)
					assert.Positive(t, f.found(secret), "other chats stay")
					f.end()
					f.start()
					f.groups[1].Member(1009, "新人")
					f.qq.DropLinks()
					f.advance(5 * time.Minute)
				}
				f.groups[1].Say(alice, say("小炉又见面了"))
				f.advance(time.Minute)
				assert.Positive(t, f.found("又见面了"))
				f.qq.DropLinks() // the chat is known again
				f.advance(5 * time.Minute)
				assert.Zero(t, f.found(otherSecret))
				assert.Positive(t, f.bot.Stats().Erased)
			})
		})
	}
}

// If the process dies at any write of an erasure, the next start completes it.
func TestErase_Crashes(t *testing.T) {
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
					withFixture(t, parrot(name == "chat"), withDigest(func(l *social.Digest) { l.Summary.Turns = 1 }), func(f *fixture) {
						f.group.Member(victim, "王"+secret)
						for range 3 {
							f.group.Say(victim, say("小炉 "+secret))
							f.advance(time.Minute)
						}
						f.stop()
						require.Contains(f, everything(f), secret, "there is something to erase")
						died = eraseAndCrash(f, forget, doom, how) || died
						left := everything(f)
						require.NotContains(f, left, secret, "write %d, %d", doom, how)
						require.NotContains(f, left, map[string]string{"person": fmt.Sprint(victim), "chat": chat.String()}[name], "write %d, %d", doom, how)
					})
				}
				if !died {
					assert.Greater(t, doom, 6, "too few writes")
					break
				}
			}
		})
	}
}

// eraseAndCrash starts an erasure that crashes at a write, and then a bot that completes it. If the crash was before
// the erasure was recorded, it is requested again.
func eraseAndCrash(f *fixture, forget func(*social.Bot) error, doom, how int) (died bool) {
	s := &crashingStore{MemStore: f.store}
	bot, end := f.startOn(s, nil)
	f.advance(time.Minute) // counters are written by then
	s.crashAt(doom, how)
	err := forget(bot)
	require.Equal(f, s.hasCrashed() && !(how == 2 && err == nil), err != nil)
	end()
	died = s.hasCrashed()
	bot, end = f.startOn(f.store, nil)
	if died && doom <= 2 {
		require.NoError(f, forget(bot))
	}
	f.advance(time.Minute)
	end()
	return died
}

// everything returns the whole content of a store.
func everything(f *fixture) string {
	var s strings.Builder
	spaces, err := f.store.Spaces(f.Context())
	require.NoError(f, err)
	for _, space := range spaces {
		for r := range f.store.Scan(f.Context(), space, 0) {
			fmt.Fprintf(&s, "%+v\n", r)
		}
	}
	rows, err := f.store.Load(f.Context(), "")
	require.NoError(f, err)
	for key, row := range rows {
		fmt.Fprintf(&s, "%s: %s\n", key, row)
	}
	return s.String()
}
