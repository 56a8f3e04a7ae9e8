package qqbottest_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func start(t *testing.T) (*qqbottest.Server, *qqbot.Client) {
	s := qqbottest.New(qqbottest.Options{})
	t.Cleanup(s.Close)
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return s, s.Client(qqbot.Options{BaseURL: s.Start(), HTTPClient: c})
}

func kind(t *testing.T, want qqbot.Kind, err error) {
	t.Helper()
	got, ok := qqbot.KindOf(err)
	assert.True(t, ok, "%v", err)
	assert.Equal(t, want, got, "%v", err)
}

func TestWindows(t *testing.T) {
	for _, k := range []struct {
		chat    qqbot.Chat
		window  time.Duration
		replies int
		say     func(*qqbottest.Server) qqbottest.Said
	}{
		{qqbot.GroupChat("G"), 5 * time.Minute, 5, func(s *qqbottest.Server) qqbottest.Said { return s.Group("G").Member("M", "").At("在吗") }},
		{qqbot.UserChat("U"), time.Hour, 4, func(s *qqbottest.Server) qqbottest.Said { return s.User("U").Say("在吗") }},
	} {
		synctest.Test(t, func(t *testing.T) { // time does not pass between two calls
			s := qqbottest.New(qqbottest.Options{})
			defer s.Close()
			c := s.Client(qqbot.Options{})
			ctx := t.Context()
			said := k.say(s)
			for i := range k.replies {
				_, err := c.Send(ctx, k.chat, qqbot.Out{Text: "在", MsgID: said.ID, Seq: i + 1})
				require.NoError(t, err)
			}
			_, err := c.Send(ctx, k.chat, qqbot.Out{Text: "在", MsgID: said.ID, Seq: 1})
			kind(t, qqbot.KindDuplicate, err)
			_, err = c.Send(ctx, k.chat, qqbot.Out{Text: "在", MsgID: said.ID, Seq: 9})
			kind(t, qqbot.KindCount, err)
			said = k.say(s)
			s.Advance(k.window - time.Second)
			_, err = c.Send(ctx, k.chat, qqbot.Out{Text: "在", MsgID: said.ID})
			require.NoError(t, err)
			s.Advance(2 * time.Second)
			_, err = c.Send(ctx, k.chat, qqbot.Out{Text: "在", MsgID: said.ID, Seq: 2})
			kind(t, qqbot.KindWindow, err)
			_, err = c.Send(ctx, k.chat, qqbot.Out{Text: "在", MsgID: "ROBOT1.0_other"})
			kind(t, qqbot.KindMsgID, err)
			assert.Len(t, s.Sent(), k.replies+1)
		})
	}
}

func TestProactive(t *testing.T) {
	s, c := start(t)
	ctx, group, user := t.Context(), qqbot.GroupChat("G"), qqbot.UserChat("U")
	g, u := s.Group("G"), s.User("U")
	send := func(to qqbot.Chat) error {
		_, err := c.Send(ctx, to, qqbot.Out{Text: "早"})
		return err
	}
	kind(t, qqbot.KindProactive, send(group))
	state, err := c.BotState(ctx, "G")
	require.NoError(t, err)
	assert.False(t, state.Proactive)
	assert.Equal(t, g.BotID(), state.MemberID)
	g.AllowProactive(true)
	for range 20 {
		require.NoError(t, send(group))
	}
	kind(t, qqbot.KindQuota, send(group))
	s.Advance(time.Minute)
	require.NoError(t, send(group))
	event := g.Reject("M")
	kind(t, qqbot.KindRefused, send(group))
	_, err = c.Send(ctx, group, qqbot.Out{Text: "早", EventID: event})
	kind(t, qqbot.KindMsgID, err)
	event = g.Receive("M")
	_, err = c.Send(ctx, group, qqbot.Out{Text: "早", EventID: event})
	require.NoError(t, err)
	g.Mute(true)
	kind(t, qqbot.KindMuted, send(group))
	g.Mute(false)
	g.Remove("M")
	kind(t, qqbot.KindAbsent, send(group))
	require.NoError(t, send(user))
	u.Reject()
	kind(t, qqbot.KindRefused, send(user))
	u.Unfriend()
	kind(t, qqbot.KindAbsent, send(user))
	kind(t, qqbot.KindAbsent, send(qqbot.UserChat("nobody")))
}

func TestContent(t *testing.T) {
	s, c := start(t)
	ctx, group := t.Context(), qqbot.GroupChat("G")
	s.Group("G").AllowProactive(true)
	s.User("U")
	_, err := c.Send(ctx, group, qqbot.Out{Text: strings.Repeat("长", 5001)})
	kind(t, qqbot.KindTooLong, err)
	_, err = c.Send(ctx, group, qqbot.Out{Text: "见 https://example.com/a"})
	kind(t, qqbot.KindURL, err)
	s.AllowURLs("example.com")
	_, err = c.Send(ctx, group, qqbot.Out{Text: "见 https://example.com/a"})
	require.NoError(t, err)
	media, err := c.Upload(ctx, qqbot.UserChat("U"), qqbot.File{Type: qqbot.ImageFile, Data: []byte("png")})
	require.NoError(t, err)
	_, err = c.Send(ctx, group, qqbot.Out{Media: media.Info})
	kind(t, qqbot.KindMedia, err)
	sent, err := c.Send(ctx, qqbot.UserChat("U"), qqbot.Out{Media: media.Info, Text: "看"})
	require.NoError(t, err)
	all := s.Sent()
	assert.Equal(t, []byte("png"), all[len(all)-1].Media.Data)
	require.NoError(t, c.Recall(ctx, qqbot.UserChat("U"), sent.ID))
	all = s.Sent()
	assert.True(t, all[len(all)-1].Recalled)
	kind(t, qqbot.KindForbidden, c.Recall(ctx, group, sent.ID))
	_, err = c.Send(ctx, group, qqbot.Out{Markdown: "# 早", Quote: sent.Index})
	require.NoError(t, err)
	s.Advance(3 * time.Minute)
	kind(t, qqbot.KindTooOld, c.Recall(ctx, group, s.Sent()[0].ID))
	said := s.User("U").Say("在吗")
	require.NoError(t, c.Typing(ctx, "U", said.ID, 1, 10*time.Second))
	assert.Equal(t, []qqbottest.Typing{{User: "U", MsgID: said.ID, Seconds: 10}}, s.Typings())
	_, err = c.Send(ctx, qqbot.UserChat("U"), qqbot.Out{Text: "在", MsgID: said.ID, Seq: 1})
	kind(t, qqbot.KindDuplicate, err)
}

func TestMembers(t *testing.T) {
	s, c := start(t)
	g := s.Group("G")
	for range 65 {
		g.Member("M", "Ann")
	}
	n, cursor := 0, ""
	for {
		page, next, err := c.Members(t.Context(), "G", cursor)
		require.NoError(t, err)
		n += len(page)
		if cursor = next; cursor == "" {
			break
		}
	}
	assert.Equal(t, 65, n)
	m, err := c.Member(t.Context(), "G", "M")
	require.NoError(t, err)
	assert.Equal(t, "Ann", m.Username)
	me, err := c.Me(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "炉边", me.Username)
}

// A killed connection is unclear once the request was written, and a repeated reply is refused as a duplicate.
func TestCut(t *testing.T) {
	s, c := start(t)
	ctx, user := t.Context(), qqbot.UserChat("U")
	said := s.User("U").Say("在吗")
	out := qqbot.Out{Text: "在", MsgID: said.ID}
	s.Cut(qqbottest.Messages, qqbottest.Before, 1)
	_, err := c.Send(ctx, user, out)
	require.ErrorIs(t, err, qqbot.ErrUnclear)
	assert.Empty(t, s.Sent())
	s.Cut(qqbottest.Messages, qqbottest.After, 1)
	_, err = c.Send(ctx, user, out)
	require.ErrorIs(t, err, qqbot.ErrUnclear)
	assert.Len(t, s.Sent(), 1)
	_, err = c.Send(ctx, user, out)
	kind(t, qqbot.KindDuplicate, err)
	s.Cut(qqbottest.Files, qqbottest.After, 1)
	_, err = c.Upload(ctx, user, qqbot.File{Type: qqbot.ImageFile, Data: []byte("x")})
	require.Error(t, err)
	assert.NotErrorIs(t, err, qqbot.ErrUnclear, "nobody sees an upload")
	s.Delay(qqbottest.Messages, time.Minute)
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = c.Send(short, user, out)
	require.ErrorIs(t, err, qqbot.ErrUnclear)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	s.Delay(qqbottest.Messages, 0)
	s.Close()
	_, err = c.Send(ctx, user, out)
	require.Error(t, err)
	assert.NotErrorIs(t, err, qqbot.ErrUnclear, "the dial failed")
	assert.NotContains(t, err.Error(), "http://")
}

func TestTokens(t *testing.T) {
	s, c := start(t)
	s.User("U")
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			_, err := c.Me(t.Context())
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, 1, s.TokensIssued())
	s.ExpireTokens()
	_, err := c.Send(t.Context(), qqbot.UserChat("U"), qqbot.Out{Text: "在"})
	require.NoError(t, err)
	assert.Equal(t, 2, s.TokensIssued())
	assert.Len(t, s.Sent(), 1)
	s.FailRetryAfter(qqbottest.Me, "7", 1)
	_, err = c.Me(t.Context())
	var refusal *qqbot.APIError
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, 7*time.Second, refusal.RetryAfter)
}

func TestTLS(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	url, trusting := s.StartTLS()
	s.User("U")
	_, err := s.Client(qqbot.Options{BaseURL: url, HTTPClient: trusting}).Send(t.Context(), qqbot.UserChat("U"), qqbot.Out{Text: "在"})
	require.NoError(t, err)
	_, err = s.Client(qqbot.Options{BaseURL: url}).Send(t.Context(), qqbot.UserChat("U"), qqbot.Out{Text: "在"})
	require.ErrorContains(t, err, "certificate")
}
