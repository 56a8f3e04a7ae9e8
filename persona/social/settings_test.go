package social_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var techGroup = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

// answers reports whether the bot answers a text in the group.
func (f *fixture) answers(who int64, text string) bool {
	f.Helper()
	before := len(f.sent(f.group.Chat()))
	f.group.Say(who, say(text))
	f.advance(2 * time.Minute)
	return len(f.sent(f.group.Chat())) > before
}

func fromFile(s social.ChatSettings) func(*social.Options) {
	return func(o *social.Options) { o.When.Settings = map[persona.Chat]social.ChatSettings{techGroup: s} }
}

// Configure changes a chat while the bot runs. The change survives a restart and ends with its removal.
func TestConfigure_AtRunTime(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		ctx := f.Context()
		assert.False(t, f.answers(alice, "小灯你在吗"))
		require.NoError(t, f.bot.Configure(ctx, techGroup, social.ChatSettings{Names: []string{"小灯"}, Policy: "mention"}))
		assert.True(t, f.answers(alice, "小灯你在吗"))
		assert.False(t, f.answers(alice, "小炉你在吗"), "the names replace those of the profile")

		f.stop()
		f.start(nil)
		assert.True(t, f.answers(alice, "小灯你在吗"), "it survives a restart")
		all, err := f.bot.Overrides(ctx)
		require.NoError(t, err)
		assert.Equal(t, map[persona.Chat]social.ChatSettings{techGroup: {Names: []string{"小灯"}, Policy: "mention"}}, all)

		require.NoError(t, f.bot.Configure(ctx, techGroup, social.ChatSettings{}))
		assert.False(t, f.answers(alice, "小灯你在吗"))
		assert.True(t, f.answers(alice, "小炉你在吗"))
		rows, err := f.store.Load(ctx, "settings/")
		require.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// An invalid setting is refused by name, and the old settings stay.
func TestConfigure_Invalid(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		ctx := f.Context()
		good := social.ChatSettings{Names: []string{"小灯"}}
		require.NoError(t, f.bot.Configure(ctx, techGroup, good))
		for name, bad := range map[string]struct {
			s    social.ChatSettings
			says string
		}{
			"policy":  {social.ChatSettings{Policy: "mentoin"}, `"mentoin" is no policy: interject, mention`},
			"pattern": {social.ChatSettings{BannedPatterns: []string{"("}}, "banned pattern"},
			"caps":    {social.ChatSettings{MaxReplies: 5000}, "Caps.Replies"},
			"window":  {social.ChatSettings{WindowMinutes: -1}, "window_minutes"},
			"span":    {social.ChatSettings{QuietHours: []heartflow.Span{{}}}, "QuietHours"},
		} {
			require.ErrorContains(t, f.bot.Configure(ctx, techGroup, bad.s), bad.says, name)
		}
		require.Error(t, f.bot.Configure(ctx, persona.Chat{}, good))
		_, err := f.bot.Reload(ctx, map[persona.Chat]social.ChatSettings{techGroup: {Policy: "mentoin"}})
		require.ErrorContains(t, err, "qq:group:1")
		assert.True(t, f.answers(alice, "小灯你在吗"))
	})
	_, err := social.New(social.Options{When: social.When{Settings: map[persona.Chat]social.ChatSettings{techGroup: {Policy: "mentoin"}}}})
	require.ErrorContains(t, err, "mentoin")
}

// An override wins until its value in the file changes. That is also so if the file changes while the bot is stopped.
func TestConfigure_UntilFileChanges(t *testing.T) {
	file := social.ChatSettings{Names: []string{"小灯"}, WakeWords: []string{"开工"}}
	withFixture(t, numbered(), fromFile(file), func(f *fixture) {
		ctx := f.Context()
		assert.True(t, f.answers(alice, "小灯你在吗"))
		set := social.ChatSettings{Names: []string{"小烛"}, Keywords: []string{"年糕"}}
		require.NoError(t, f.bot.Configure(ctx, techGroup, set))
		assert.False(t, f.answers(alice, "小灯你在吗"))

		file.WakeWords = []string{"收工"} // another line
		ended, err := f.bot.Reload(ctx, map[persona.Chat]social.ChatSettings{techGroup: file})
		require.NoError(t, err)
		assert.Empty(t, ended)
		assert.True(t, f.answers(alice, "收工"), "the file applies at once")
		assert.True(t, f.answers(alice, "小烛你在吗"))

		f.stop()
		f.start(fromFile(file))
		assert.True(t, f.answers(alice, "小烛你在吗"), "the file has not changed")

		file.Names = []string{"阿灯"}
		ended, err = f.bot.Reload(ctx, map[persona.Chat]social.ChatSettings{techGroup: file})
		require.NoError(t, err)
		assert.Equal(t, map[persona.Chat]social.ChatSettings{techGroup: {Names: []string{"小烛"}}}, ended)
		assert.True(t, f.answers(alice, "阿灯你在吗"))
		assert.True(t, f.answers(alice, "年糕"), "the other override stays")

		require.NoError(t, f.bot.Configure(ctx, techGroup, set))
		f.stop()
		file.Names = []string{"大灯"}
		f.start(fromFile(file))
		all, err := f.bot.Overrides(ctx)
		require.NoError(t, err)
		assert.Equal(t, social.ChatSettings{Keywords: []string{"年糕"}}, all[techGroup])
		assert.True(t, f.answers(alice, "大灯你在吗"))
	})
}

// The entry of the zero Chat applies to all chats, below the entry of a chat. A change of it ends overrides, too.
func TestReload_AllChats(t *testing.T) {
	withFixture(t, numbered(), func(o *social.Options) {
		o.When.Settings = map[persona.Chat]social.ChatSettings{{}: {Names: []string{"小灯"}, Keywords: []string{"年糕"}}, techGroup: {Names: []string{"小烛"}}}
	}, func(f *fixture) {
		assert.False(t, f.answers(alice, "小灯你在吗"))
		assert.True(t, f.answers(alice, "小烛你在吗"))
		assert.True(t, f.answers(alice, "年糕"))
		require.NoError(t, f.bot.Configure(f.Context(), techGroup, social.ChatSettings{Keywords: []string{}}))
		assert.False(t, f.answers(alice, "年糕"), "an empty list overrides")
		ended, err := f.bot.Reload(f.Context(), map[persona.Chat]social.ChatSettings{{}: {Keywords: []string{"小雪"}}})
		require.NoError(t, err)
		assert.Contains(t, ended, techGroup)
		assert.True(t, f.answers(alice, "小雪"))
		assert.True(t, f.answers(alice, "小炉你在吗"))
	})
}

// A chat that is switched off gets no message and no answer, and what the host says is refused.
func TestConfigure_Off(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		ctx := f.Context()
		assert.True(t, f.answers(alice, "小炉你在吗"))
		yes := true
		f.group.Say(bob, say("小炉在吗"))
		f.advance(time.Second) // in the buffer
		require.NoError(t, f.bot.Configure(ctx, techGroup, social.ChatSettings{Off: &yes}))
		assert.False(t, f.answers(alice, "小炉你在吗"))
		assert.EqualValues(t, 1, f.bot.Stats().ChatOff)
		_, err := f.bot.Say(ctx, techGroup, "大家好")
		require.ErrorIs(t, err, heartflow.ErrMuted)
		require.NoError(t, f.bot.Configure(ctx, techGroup, social.ChatSettings{}))
		assert.True(t, f.answers(alice, "小炉你在吗"))
	})
}

// The words of the host ban messages from the next message on.
func TestConfigure_Banned(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		assert.True(t, f.answers(alice, "小炉，买彩票吗"))
		require.NoError(t, f.bot.Configure(f.Context(), techGroup, social.ChatSettings{BannedWords: []string{"彩票"}}))
		assert.False(t, f.answers(alice, "小炉，买彩票吗"))
		assert.True(t, f.answers(alice, "小炉你在吗"))
	})
}

// A chat can have a budget of its own. When it is used up, the bot is silent there, and answers elsewhere.
func TestConfigure_Tokens(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		friend := f.qq.Friend(alice, "张三")
		require.NoError(t, f.bot.Configure(f.Context(), techGroup, social.ChatSettings{HourTokens: 1}))
		assert.True(t, f.answers(alice, "小炉你在吗"))
		assert.False(t, f.answers(alice, "小炉你还在吗"))
		friend.Say(say("在吗"))
		f.advance(time.Minute)
		assert.NotEmpty(t, f.sent(friend.Chat()))
		require.NoError(t, f.bot.Configure(f.Context(), techGroup, social.ChatSettings{}))
		assert.True(t, f.answers(alice, "小炉你在吗"))
	})
}

// Erasing a chat deletes its overrides.
func TestConfigure_ErasedWithChat(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		ctx := f.Context()
		assert.True(t, f.answers(alice, "小炉你在吗"))
		require.NoError(t, f.bot.Configure(ctx, techGroup, social.ChatSettings{Names: []string{"小灯"}}))
		rows, err := f.store.Load(ctx, "settings/")
		require.NoError(t, err)
		require.Len(t, rows, 1)
		_, err = f.bot.EraseChat(ctx, techGroup, nil)
		require.NoError(t, err)
		rows, err = f.store.Load(ctx, "settings/")
		require.NoError(t, err)
		assert.Empty(t, rows)
		f.advance(time.Minute)
		assert.True(t, f.answers(alice, "小炉你在吗"), "the settings are those of before")
	})
}

// If the store fails, the old settings stay.
func TestConfigure_StoreFails(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		f.stop()
		store := &failingApply{Store: f.store}
		bot, end := f.startOn(store, nil)
		defer end()
		f.bot = bot
		store.fails = true
		require.ErrorIs(t, bot.Configure(f.Context(), techGroup, social.ChatSettings{Names: []string{"小灯"}}), errNoSpace)
		require.ErrorIs(t, bot.Mute(f.Context(), techGroup, time.Now().Add(time.Hour)), errNoSpace)
		store.fails = false
		assert.True(t, f.answers(alice, "小炉你在吗"))
	})
}

var errNoSpace = errors.New("no space")

type failingApply struct {
	social.Store
	fails bool
}

func (s *failingApply) Apply(ctx context.Context, rows map[string][]byte) error {
	if s.fails {
		return errNoSpace
	}
	return s.Store.Apply(ctx, rows)
}

// The host mutes a chat and puts the bot to sleep, without commands. Both survive a restart.
func TestHost_MuteAndSleep(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		ctx := f.Context()
		restart := func() { f.stop(); f.start(nil) }
		require.Error(t, f.bot.Mute(ctx, techGroup, time.Now()), "the time must be in the future")
		require.NoError(t, f.bot.Mute(ctx, techGroup, time.Now().Add(time.Hour)))
		assert.False(t, f.answers(alice, "小炉你在吗"))
		restart()
		assert.False(t, f.answers(alice, "小炉你在吗"))
		require.NoError(t, f.bot.Unmute(ctx, techGroup))
		assert.True(t, f.answers(alice, "小炉你在吗"))
		require.NoError(t, f.bot.Mute(ctx, techGroup, time.Now().Add(time.Hour)))
		f.advance(time.Hour)
		assert.True(t, f.answers(alice, "小炉你在吗"), "it ends by itself")

		require.NoError(t, f.bot.Sleep(ctx, time.Time{}))
		assert.False(t, f.answers(alice, "小炉你在吗"))
		restart()
		assert.False(t, f.answers(alice, "小炉你在吗"))
		require.NoError(t, f.bot.Wake(ctx))
		assert.True(t, f.answers(alice, "小炉你在吗"))
		restart()
		assert.True(t, f.answers(alice, "小炉你在吗"))
		require.NoError(t, f.bot.Sleep(ctx, time.Now().Add(time.Hour)))
		assert.False(t, f.answers(alice, "小炉你在吗"))
		f.advance(time.Hour)
		assert.True(t, f.answers(alice, "小炉你在吗"))
	})
}

// The host's text goes through the one way out: it is stored, counted by the caps and refused where replies are.
func TestHost_Say(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say("[skip]")), nil, func(f *fixture) {
		ctx := f.Context()
		f.group.Say(alice, say("今天好冷"))
		f.advance(time.Minute)
		id, err := f.bot.Say(ctx, techGroup, "今晚停机维护。")
		require.NoError(t, err)
		assert.NotEmpty(t, id)
		assert.Equal(t, []string{"今晚停机维护。"}, f.sent(f.group.Chat()))
		assert.Equal(t, []string{"今天好冷", "今晚停机维护。"}, f.journal("qq:group:1"))
		assert.Empty(t, f.model.Prompts(), "no model is called")

		_, err = f.bot.Say(ctx, techGroup, " \n")
		require.ErrorContains(t, err, "empty")
		for range 2 {
			_, err = f.bot.Say(ctx, techGroup, "再说一次。")
			require.NoError(t, err)
		}
		_, err = f.bot.Say(ctx, techGroup, "第四句。")
		require.ErrorIs(t, err, heartflow.ErrCapped)
		f.group.Say(alice, say("知道了"))
		f.advance(time.Minute)

		require.NoError(t, f.bot.Mute(ctx, techGroup, time.Now().Add(time.Hour)))
		_, err = f.bot.Say(ctx, techGroup, "你好")
		var refused *heartflow.RefusedError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, heartflow.ErrMuted)
		require.NoError(t, f.bot.Unmute(ctx, techGroup))
		require.NoError(t, f.bot.Sleep(ctx, time.Time{}))
		_, err = f.bot.Say(ctx, techGroup, "你好")
		require.ErrorIs(t, err, heartflow.ErrOffline)
		require.NoError(t, f.bot.Wake(ctx))
		assert.Len(t, f.sent(f.group.Chat()), 3)
		_, err = f.bot.Say(ctx, techGroup, "早。")
		require.NoError(t, err)
		f.stop()
		_, err = f.bot.Say(ctx, techGroup, "晚了。")
		require.Error(t, err)
	})
}

// A platform's refusal reaches the host, and the text is not stored.
func TestHost_SayFails(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		f.qq.Fail("send_group_msg", 1200, 1)
		_, err := f.bot.Say(f.Context(), techGroup, "你好")
		var refused *onebot.APIError
		require.ErrorAs(t, err, &refused)
		assert.Empty(t, f.journal("qq:group:1"))
	})
}

// Settings change while chats are loaded and messages come. The last change holds.
func TestConfigure_Concurrent(t *testing.T) {
	withFixture(t, numbered(), nil, func(f *fixture) {
		ctx := f.Context()
		var all sync.WaitGroup
		for n := range 8 {
			chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: strconv.Itoa(100 + n)}
			group := f.qq.Group(int64(100+n), "群")
			group.Member(alice, "张三")
			all.Go(func() { group.Say(alice, say("今天好冷")) })
			all.Go(func() {
				for i := range 10 {
					assert.NoError(t, f.bot.Configure(ctx, chat, social.ChatSettings{Names: []string{"小灯" + strconv.Itoa(i)}}))
				}
			})
			all.Go(func() {
				_, err := f.bot.Reload(ctx, map[persona.Chat]social.ChatSettings{{}: {MaxReplies: 3 + n}})
				assert.NoError(t, err)
			})
		}
		all.Wait()
		f.advance(time.Minute)
		for n := range 8 {
			chat := onebottest.GroupChat(int64(100 + n))
			f.qq.Group(int64(100+n), "群").Say(alice, say("小灯9你在吗"))
			f.advance(time.Minute)
			assert.Len(t, f.sent(chat), 1)
		}
	})
}
