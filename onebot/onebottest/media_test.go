package onebottest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// download returns the body of a GET.
func download(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	resp, err := c.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode, "%s", b)
	return string(b)
}

// A voice message is downloaded, converted and transcribed in the way of each implementation.
func TestVoice_EachImplementation(t *testing.T) {
	each(t, onebottest.Options{Token: "密"}, func(t *testing.T, s *onebottest.Server) {
		c := visit(t, s, onebot.Options{})
		like := s.Events()
		g := s.Group(7, "")
		heard := g.Say(1, s.Voice("a.amr", []byte("silk"), "在吗"))
		noise := g.Say(1, s.Voice("b.amr", []byte("noise"), ""))
		seg := c.event().(*onebot.GroupMessage).Message[0]
		assert.Equal(t, []string{"record", "a.amr"}, []string{seg.Type, seg.Param("file")})
		assert.Equal(t, "silk", download(t, s.HTTPClient(), seg.Param("url")), "without a token")

		info, err := c.Bot().GetRecord(t.Context(), "a.amr", "mp3")
		switch like {
		case onebottest.LikeNapCat, onebottest.LikeLLBot:
			require.NoError(t, err)
			assert.True(t, strings.HasSuffix(info.File, "/a.mp3"), info.File)
		case onebottest.LikeSnowLuma:
			require.NoError(t, err)
			assert.Equal(t, base64.StdEncoding.EncodeToString([]byte("silk")), info.Base64)
			info, err = c.Bot().GetRecord(t.Context(), "a.amr", "")
			require.NoError(t, err)
			assert.Empty(t, info.Base64)
			assert.Equal(t, "silk", download(t, s.HTTPClient(), info.URL))
		default:
			assert.ErrorIs(t, err, onebot.ErrUnknownAction)
		}

		said, err := c.Bot().FetchPTTText(t.Context(), heard)
		if like == onebottest.LikeLagrange || like == onebottest.LikeGoCQHTTP {
			assert.ErrorIs(t, err, onebot.ErrUnknownAction)
			return
		}
		require.NoError(t, err)
		assert.Equal(t, "在吗", said)
		_, err = c.Bot().FetchPTTText(t.Context(), noise)
		assert.ErrorIs(t, err, onebot.ErrFailed)
		_, err = c.Bot().FetchPTTText(t.Context(), g.Say(1, text("字")))
		assert.ErrorIs(t, err, onebot.ErrFailed)
		_, err = c.Bot().GetRecord(t.Context(), "c.amr", "mp3")
		assert.ErrorIs(t, err, onebot.ErrFailed)
	})
}

func TestImage_EachImplementation(t *testing.T) {
	each(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server) {
		c := visit(t, s, onebot.Options{})
		s.Friend(3, "").Say(s.Image("a.png", []byte("old")))
		s.Friend(3, "").Say(s.Image("a.png", []byte("new")))
		for _, want := range []string{"old", "new"} {
			seg := c.event().(*onebot.PrivateMessage).Message[0]
			assert.Equal(t, "image", seg.Type)
			assert.Equal(t, want, download(t, s.HTTPClient(), seg.Param("url")))
		}
		info, err := c.Bot().GetImage(t.Context(), "a.png")
		if s.Events() == onebottest.LikeLagrange {
			assert.ErrorIs(t, err, onebot.ErrUnknownAction)
			return
		}
		require.NoError(t, err)
		assert.Equal(t, "new", download(t, s.HTTPClient(), info.URL))
		_, err = c.Bot().GetImage(t.Context(), "b.png")
		assert.ErrorIs(t, err, onebot.ErrFailed)
	})
}

// A file of a friend is found in its message or notice, and downloaded over a real port.
func TestUpload_Download(t *testing.T) {
	for name, quirks := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			s := onebottest.New(onebottest.Options{Quirks: quirks})
			defer s.Close()
			require.NotEmpty(t, s.Start())
			c := visit(t, s, onebot.Options{})
			f := s.Friend(3, "").Upload("a.txt", []byte("炉边"))
			assert.Equal(t, "炉边", download(t, http.DefaultClient, f.URL))
			switch e := c.event().(type) {
			case *onebot.PrivateMessage:
				assert.Equal(t, []string{f.ID, f.URL}, []string{e.Message[0].Param("file_id"), e.Message[0].Param("url")})
				url, err := c.Bot().GetPrivateFileURL(t.Context(), 3, f.ID, "")
				require.NoError(t, err)
				assert.Equal(t, f.URL, url)
			case *onebot.OfflineFile:
				assert.Equal(t, f.URL, e.File.URL)
			default:
				t.Errorf("%T", e)
			}
			_, body := httpCall{"GET", "/onebottest/file-none", "", "", ""}.ask(t, s)
			assert.NotContains(t, body, "炉边")
		})
	}
}

func TestGroupFiles_EachImplementation(t *testing.T) {
	each(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server) {
		c := visit(t, s, onebot.Options{})
		bot, ctx := c.Bot(), t.Context()
		g := s.Group(7, "")
		f := g.Upload(1, "a.txt", []byte("一"))
		require.NoError(t, bot.CreateGroupFileFolder(ctx, 7, "夹"))
		root, err := bot.GetGroupRootFiles(ctx, 7)
		require.NoError(t, err)
		require.Len(t, root.Files, 1)
		assert.Equal(t, []any{f.ID, "a.txt", int64(3), int64(1)}, []any{root.Files[0].ID, root.Files[0].Name, root.Files[0].Size, root.Files[0].Uploader})
		require.Len(t, root.Folders, 1)
		folder := root.Folders[0].ID
		_, err = bot.UploadGroupFile(ctx, 7, onebot.FileUpload{File: "base64://YWJj", Name: "b.txt", Folder: folder})
		require.NoError(t, err)
		sent := s.Files()[1]
		assert.Equal(t, []any{g.Chat(), int64(self), folder, "abc"}, []any{sent.SentTo, sent.From, sent.Folder, string(sent.Data)})

		in, err := bot.GetGroupFilesByFolder(ctx, 7, folder)
		require.NoError(t, err)
		require.Len(t, in.Files, 1)
		assert.Empty(t, in.Folders)
		_, err = bot.GetGroupFilesByFolder(ctx, 7, "/none")
		assert.ErrorIs(t, err, onebot.ErrFailed)
		url, err := bot.GetGroupFileURL(ctx, 7, sent.ID, 102)
		require.NoError(t, err)
		assert.Equal(t, "abc", download(t, s.HTTPClient(), url))

		err = bot.RenameGroupFileFolder(ctx, 7, folder, "新")
		if like := s.Events(); like == onebottest.LikeNapCat || like == onebottest.LikeGoCQHTTP {
			assert.ErrorIs(t, err, onebot.ErrUnknownAction)
		} else {
			require.NoError(t, err)
			root, err = bot.GetGroupRootFiles(ctx, 7)
			require.NoError(t, err)
			assert.Equal(t, "新", root.Folders[0].Name)
		}
		assert.ErrorIs(t, bot.DeleteGroupFile(ctx, 7, f.ID, 102), onebot.ErrFailed, "another user's")
		require.NoError(t, bot.DeleteGroupFolder(ctx, 7, folder))
		g.Member(self, "").WithRole("admin")
		require.NoError(t, bot.DeleteGroupFile(ctx, 7, f.ID, 102))
		assert.Empty(t, s.Files())
		_, err = bot.GetGroupFileURL(ctx, 7, f.ID, 102)
		assert.ErrorIs(t, err, onebot.ErrFailed)
	})
}

// Forwards in forwards are opened one after the other, whoever sent them.
func TestForward_Depth(t *testing.T) {
	each(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server) {
		c := visit(t, s, onebot.Options{})
		g := s.Group(7, "")
		m := text("底")
		for range 3 {
			m = s.Forward(onebottest.Node{UserID: 1, Name: "甲", Message: m})
		}
		open := func(id string) (depth int) {
			for ; ; depth++ {
				nodes, err := c.Bot().GetForwardMsg(t.Context(), id)
				require.NoError(t, err)
				require.Len(t, nodes, 1)
				if nodes[0].Message[0].Type != "forward" {
					assert.Equal(t, "底", nodes[0].Message.Text())
					return depth
				}
				id = nodes[0].Message[0].Param("id")
			}
		}
		g.Say(1, m)
		assert.Equal(t, 2, open(c.event().(*onebot.GroupMessage).Message[0].Param("id")))

		nested := onebot.CustomNode(2, "乙", onebot.Message{onebot.CustomNode(1, "甲", text("底"))})
		sent, err := c.Bot().SendGroupForwardMsg(t.Context(), 7, onebot.Message{nested}, onebot.ForwardPreview{})
		require.NoError(t, err)
		assert.Equal(t, 1, open(sent.ForwardID))
		inner := s.Forwarded(sent.ForwardID)[0].Message[0].Param("id")
		assert.Equal(t, "甲", s.Forwarded(inner)[0].Name)
	})
}

// What the bot does is read in one way with all implementations.
func TestDeeds_EachImplementation(t *testing.T) {
	each(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server) {
		c := visit(t, s, onebot.Options{})
		bot, ctx, like := c.Bot(), t.Context(), s.Events()
		g, f := s.Group(7, ""), s.Friend(3, "")
		g.Member(self, "").WithRole("owner")
		id := g.Say(1, text("话"))

		g.Poke(1, self)
		f.Poke()
		pokes := []onebottest.Poke{
			{Chat: g.Chat(), UserID: 1, TargetID: self, At: time.Now()}, {Chat: f.Chat(), UserID: 3, TargetID: self, At: time.Now()},
		}
		if like != onebottest.LikeGoCQHTTP {
			require.NoError(t, bot.GroupPoke(ctx, 7, 1))
			require.NoError(t, bot.FriendPoke(ctx, 3))
			pokes = append(pokes, onebottest.Poke{Chat: g.Chat(), UserID: self, TargetID: 1, At: time.Now()},
				onebottest.Poke{Chat: f.Chat(), UserID: self, TargetID: 3, At: time.Now()})
		}
		assert.Equal(t, pokes, s.Pokes())

		react := bot.SetMsgEmojiLike
		if like == onebottest.LikeLagrange {
			react = func(ctx context.Context, id int64, emoji string, set bool) error {
				return bot.SetGroupReaction(ctx, 7, id, emoji, set)
			}
		}
		g.React(id, 1, "66", true)
		mine := onebottest.Reaction{UserID: self, EmojiID: "66"}
		if err := react(ctx, id, "66", true); like == onebottest.LikeGoCQHTTP {
			assert.ErrorIs(t, err, onebot.ErrUnknownAction)
		} else {
			require.NoError(t, err)
			assert.Equal(t, []onebottest.Reaction{{UserID: 1, EmojiID: "66"}, mine}, s.Reactions(id))
			first, second := next[*onebot.Reaction](&peer{t, bot, c.events}), next[*onebot.Reaction](&peer{t, bot, c.events})
			assert.Equal(t, []any{true, int64(1), true, int64(2), int64(self)},
				[]any{first.Added, first.Likes[0].Count, second.Added, second.Likes[0].Count, second.UserID})
			require.NoError(t, react(ctx, id, "66", false))
			assert.NotContains(t, s.Reactions(id), mine)
		}
		assert.Nil(t, s.Reactions(12345))

		require.NoError(t, bot.SetEssenceMsg(ctx, id))
		assert.Equal(t, []int64{id}, g.Essences())
		list, err := bot.GetEssenceMsgList(ctx, 7)
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, []any{id, int64(1), int64(self), "话"}, []any{list[0].MessageID, list[0].SenderID, list[0].OperatorID, list[0].Content.Text()})
		require.NoError(t, bot.DeleteEssenceMsg(ctx, id))
		assert.Empty(t, g.Essences())

		g.Announce(1, "旧")
		require.NoError(t, bot.SendGroupNotice(ctx, 7, onebot.Announcement{Content: "新", Image: "base64://AA=="}))
		all := g.Announcements()
		require.Len(t, all, 2)
		assert.Equal(t, []any{int64(self), "新", "base64://AA=="}, []any{all[1].UserID, all[1].Text, all[1].Image})
		notices, err := bot.GetGroupNotice(ctx, 7)
		require.NoError(t, err)
		assert.Equal(t, []string{"新", "旧"}, []string{notices[0].Body.Text, notices[1].Body.Text})
		require.NoError(t, bot.DelGroupNotice(ctx, 7, all[0].ID))
		assert.ErrorIs(t, bot.DelGroupNotice(ctx, 7, all[0].ID), onebot.ErrFailed)
		assert.Len(t, g.Announcements(), 1)

		require.NoError(t, bot.SendGroupSign(ctx, 7))
		require.NoError(t, bot.SendGroupSign(ctx, 7))
		assert.Equal(t, []int64{self}, g.Signed())

		if err := bot.ForwardGroupSingleMsg(ctx, 7, id); like == onebottest.LikeLagrange || like == onebottest.LikeGoCQHTTP {
			assert.ErrorIs(t, err, onebot.ErrUnknownAction)
		} else {
			require.NoError(t, err)
			assert.Equal(t, "话", s.Sent()[0].Message.Text())
		}
	})
}

func TestCard_Message(t *testing.T) {
	for kind, want := range map[onebottest.CardKind][2]string{
		onebottest.MiniProgramCard: {"com.tencent.miniapp_01", "detail_1"}, onebottest.NewsCard: {"com.tencent.tuwen.lua", "news"},
		onebottest.StructNewsCard: {"com.tencent.structmsg", "news"}, onebottest.MusicCard: {"com.tencent.music.lua", "music"},
		onebottest.MapCard: {"com.tencent.map", "Location.Search"}, onebottest.ContactCard: {"com.tencent.contact.lua", "contact"},
		onebottest.GroupCard: {"com.tencent.troopsharecard", "contact"}, onebottest.AnnouncementCard: {"com.tencent.mannounce", "mannounce"},
	} {
		s := onebottest.New(onebottest.Options{})
		c := visit(t, s, onebot.Options{})
		s.Group(7, "").Say(1, onebottest.Card{Kind: kind, Title: "炉边<&>", Text: "夜话", URL: "https://example.com", ID: 5, Lat: 30.25, Lon: -120}.Message())
		seg := c.event().(*onebot.GroupMessage).Message[0]
		assert.Equal(t, "json", seg.Type)
		var ark struct {
			App, View, Prompt string
			Meta              map[string]map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(seg.Param("data")), &ark))
		assert.Equal(t, want[0], ark.App)
		assert.NotEmpty(t, ark.Meta[want[1]], want[0])
		assert.NotEmpty(t, ark.View)
		assert.NotEmpty(t, ark.Prompt)
		switch meta := ark.Meta[want[1]]; kind {
		case onebottest.MapCard:
			assert.Equal(t, []any{"30.25", "-120"}, []any{meta["lat"], meta["lng"]})
		case onebottest.AnnouncementCard:
			in, err := base64.StdEncoding.DecodeString(meta["text"].(string))
			require.NoError(t, err)
			assert.Equal(t, "夜话", string(in))
		case onebottest.NewsCard:
			assert.Equal(t, "炉边<&>", meta["title"])
		}
		s.Close()
	}
}

func TestWait(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	g := s.Group(7, "")
	id := g.Say(1, text("话"))
	c := visit(t, s, onebot.Options{})
	done := make(chan error, 1)
	go func() {
		done <- s.Wait(t.Context(), func() bool { return len(s.Reactions(id)) == 1 && len(g.Signed()) == 1 })
	}()
	require.NoError(t, c.Bot().SetMsgEmojiLike(t.Context(), id, "66", true))
	require.NoError(t, c.Bot().SendGroupSign(t.Context(), 7))
	require.NoError(t, <-done)
	ctx, cancel := timeout(t, time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, s.Wait(ctx, func() bool { return false }), ctx.Err())
	go func() { done <- s.Wait(t.Context(), func() bool { return false }) }()
	s.Close()
	assert.Error(t, <-done)
}
