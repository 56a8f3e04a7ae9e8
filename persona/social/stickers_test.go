package social_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stickerDir makes a directory with stickers of these names. A file has a PNG signature and its own name.
func stickerDir(t *testing.T, names ...string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("\x89PNG\r\n\x1a\n"+name), 0o600))
		at := time.Date(2000, 1, 1, 0, 0, i, 0, time.UTC)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// pickerOf returns a picker for a directory. Its constructor fails for invalid options only.
func pickerOf(root *os.Root, state speech.State) *speech.StickerPicker {
	dir, _ := speech.NewStickerDir(root, speech.StickerDirOptions{})
	stickers, _ := speech.NewStickerPicker(dir, speech.StickerOptions{State: state, Seed: 1})
	return stickers
}

// withStickers enables stickers after every reply that may have one.
func withStickers(root *os.Root, also ...func(*social.Options)) func(*social.Options) {
	return func(o *social.Options) {
		o.Reply.Speech = &social.Speech{
			Stickers:      pickerOf(root, o.Storage.Store),
			StickerChance: 1,
		}
		for _, f := range also {
			f(o)
		}
	}
}

// shown returns the bot's messages in a chat: texts, and names of stickers in brackets.
func (f *fixture) shown(chat onebottest.Chat) (all []string) {
	f.Helper()
	for _, s := range f.qq.Sent() {
		if s.Chat != chat {
			continue
		}
		for _, seg := range s.Message {
			if seg.Type != "image" {
				all = append(all, s.Message.Text())
				break
			}
			data, ok := strings.CutPrefix(seg.Param("file"), "base64://")
			require.True(f, ok)
			picture, err := base64.StdEncoding.DecodeString(data)
			require.NoError(f, err)
			all = append(all, "["+strings.TrimPrefix(string(picture), "\x89PNG\r\n\x1a\n")+"]")
		}
	}
	return all
}

// A reply is followed by a sticker for the feeling of its plan, the least used first, also over a restart.
func TestStickers_AfterText(t *testing.T) {
	root := stickerDir(t, "开心,大笑.png", "开心_2.png", "无语.png")
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人叫我", "emoji_query": "开心", "at_user": "1001"}`}
	change := withStickers(root, threeCalls)
	withFixture(t, p.model(), change, func(f *fixture) {
		for range 2 {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			f.stop()
			f.start(change)
		}
		shown := f.shown(f.group.Chat())
		require.Len(t, shown, 4)
		assert.Equal(t, []string{"@1001 在的", "@1001 在的"}, []string{shown[0], shown[2]})
		assert.ElementsMatch(t, []string{"[开心,大笑.png]", "[开心_2.png]"}, []string{shown[1], shown[3]})
		assert.Len(t, f.tracesOf(heartflow.KindSpeak), 2, "text and sticker count as one reply")
		assert.Contains(t, p.read("决定"), "emoji_reply")
		assert.Contains(t, f.journal(techSpace), "[图片]")
		gap := f.qq.Sent()[1].At.Sub(f.qq.Sent()[0].At)
		assert.Equal(t, time.Second, gap.Round(100*time.Millisecond), "a sticker takes a second to find")

		p.decide(`{"action": "text_reply", "emoji_query": "愤怒"}`)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Len(t, f.shown(f.group.Chat()), 5, "no sticker matches: text only")
	})
}

// Without a plan a sticker for the text follows by chance.
func TestStickers_ByChance(t *testing.T) {
	for _, chance := range []float64{1, -1} {
		root := stickerDir(t, "哈哈.png", "无语.png")
		withFixture(t, modeltest.Always(modeltest.Say("哈哈哈")), withStickers(root, func(o *social.Options) { o.Reply.Speech.StickerChance = chance }), func(f *fixture) {
			f.group.Say(alice, at(botID, "好笑吗"))
			f.advance(time.Minute)
			want := []string{"哈哈哈"}
			if chance > 0 {
				want = append(want, "[哈哈.png]")
			}
			assert.Equal(t, want, f.shown(f.group.Chat()))
		})
	}
	root, followed := stickerDir(t, "哈哈.png"), 0
	withFixture(t, modeltest.Always(modeltest.Say("哈哈哈")), withStickers(root, func(o *social.Options) { o.Reply.Speech.StickerChance = 0 }), func(f *fixture) {
		for range 40 {
			f.group.Say(alice, at(botID, "好笑吗"))
			f.advance(2 * time.Minute)
		}
		for _, said := range f.shown(f.group.Chat()) {
			if strings.HasPrefix(said, "[") {
				followed++
			}
		}
	})
	assert.InDelta(t, 8, followed, 6, "a fifth of 40, with this seed")
}

// In focus a plan may choose only a sticker. It is an emoji_reply of the cycle: it resets the waiting time of the
// silence, but not the count of silent cycles.
func TestStickers_EmojiReply(t *testing.T) {
	no, emoji := `{"action": "no_reply"}`, `{"action": "emoji_reply", "emoji_query": "开心"}`
	for name, c := range map[string]struct {
		plans []string
		asked int // number of plans until focus ends
		shown []string
	}{
		"three silences end it":            {[]string{no, no, no}, 3, nil},
		"a sticker makes it wait for more": {[]string{no, no, emoji, no, no, no}, 5, []string{"[开心.png]"}},
		"what there is not is a silence":   {[]string{no, no, `{"action": "emoji_reply", "emoji_query": "愤怒"}`, no}, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			plans, n := c.plans, 0
			model := modeltest.Func(answering(func(p modeltest.Prompt) string {
				if !strings.Contains(p.Human(), "## 现在：决定\n") {
					return "想想"
				}
				plan := plans[min(n, len(plans)-1)]
				n++
				return plan
			}))
			withFixture(t, model, withStickers(stickerDir(t, "开心.png"), withHFC(threeCalls)), func(f *fixture) {
				friend := f.qq.Friend(alice, "张三")
				friend.Say(say("在吗"))
				f.advance(time.Hour)
				assert.Equal(t, c.asked, n)
				assert.Equal(t, c.shown, f.shown(friend.Chat()))
			})
		})
	}
}

// In focus the cycle draws whether a reply keeps its planned sticker. StickerChance is for other turns.
func TestStickers_PlannedIsDrawnOnce(t *testing.T) {
	for kept, want := range map[float64][]string{1: {"在的", "[开心.png]"}, -1: {"在的"}} {
		p := &planner{plan: `{"action": "text_reply", "emoji_query": "开心"}`}
		withFixture(t, p.model(), withStickers(stickerDir(t, "开心.png"), withHFC(threeCalls), func(o *social.Options) {
			o.When.HFC.Cycle.StickerChance, o.Reply.Speech.StickerChance = kept, -kept
		}), func(f *fixture) {
			friend := f.qq.Friend(alice, "张三")
			friend.Say(say("在吗"))
			for len(p.asked()) < 3 {
				f.advance(100 * time.Millisecond)
			}
			p.decide(`{"action": "exit_focus_mode"}`)
			f.advance(time.Minute)
			assert.Equal(t, want, f.shown(friend.Chat()))
		})
	}
}

// Without files emoji_reply is not offered; files added later are used.
func TestStickers_None(t *testing.T) {
	root := stickerDir(t)
	p := &planner{plan: `{"action": "emoji_reply", "emoji_query": "开心"}`}
	withFixture(t, p.model(), withStickers(root, threeCalls), func(b *fixture) {
		b.group.Say(alice, at(botID, "在吗"))
		b.advance(time.Minute)
		assert.NotContains(t, p.read("决定"), "emoji_reply")
		assert.Empty(t, b.shown(b.group.Chat()))
		f, err := root.Create("开心.png")
		require.NoError(t, err)
		_, err = f.WriteString("\x89PNG\r\n\x1a\n开心.png")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		b.group.Say(alice, at(botID, "在吗"))
		b.advance(time.Minute)
		assert.Equal(t, []string{"[开心.png]"}, b.shown(b.group.Chat()))
		assert.Len(t, b.job("batch/").Outbox, 1)
	})
}

// If a sticker cannot be read, the text is sent alone.
func TestStickers_UnreadableFile(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say("哈哈哈")), func(o *social.Options) {
		stickers, _ := speech.NewStickerPicker(brokenSource{}, speech.StickerOptions{})
		o.Reply.Speech = &social.Speech{Stickers: stickers, StickerChance: 1}
	}, func(f *fixture) {
		f.group.Say(alice, at(botID, "好笑吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"哈哈哈"}, f.shown(f.group.Chat()))
		assert.Equal(t, "spoke", f.job("batch/").Outcome)
	})
}

type brokenSource struct{}

func (brokenSource) Stickers(context.Context) ([]speech.Sticker, error) {
	return []speech.Sticker{{ID: "1", Tags: []string{"哈哈哈"}}}, nil
}

func (brokenSource) Picture(context.Context, string) ([]byte, error) { return nil, os.ErrNotExist }
