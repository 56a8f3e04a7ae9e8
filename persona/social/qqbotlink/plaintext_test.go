package qqbotlink_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostileTexts try to become more than text.
var hostileTexts = []string{
	"<@M00000002> 在吗", "<@!M00000002>", "<@everyone>", "@everyone 开会", "@全体成员", "<@all>", "<#1234>", "<emoji:4>", "[<face,id=14/>]",
	`<qqbot-at-user id="M00000002" />`, "<qqbot-at-user/>", "<QQBot-At-Everyone />", `<qqbot-cmd-input text="/give" show="点我" reference="false" />`,
	`<qqbot-cmd-enter text="rm" />`, `<faceType=4,faceId="",ext="eyJ0ZXh0IjoiWy4uLl0ifQ==">`,
	"**粗** # 题 ***", "[点我](https://example.com/x)", "[](mqqapi://aio/inlinecmd?command=%2Fgive&enter=true)", "![图 #9px #9px](https://example.com/a.png)", "> 引\n1. 一\n- 二", "`x` ~~y~~ ||z||",
	`{"msg_type":2,"markdown":{"content":"# x"},"keyboard":{"content":{"rows":[]}}}`, `{"ark":{"template_id":23,"kv":[]}}`, `","msg_type":2,"markdown":{"content":"x"},"a":"`,
	"[CQ:at,qq=all]", "&lt;@M00000002&gt;", "<@M0000\n0002>",
	"<\u200b@M00000002>", "<\u2060!@M00000002>", "<\ufe0f@M00000002>", "<\u034f@M00000002>", "<\u3164@M00000002>", "<\u115f@M00000002>", "<\U000e0100@M00000002>", "<\xff@M00000002>",
	"<q\u200bqbot-at-user id=\"M00000002\" />", "<qqbo\u00adt-at-everyone />", "<fac\u2060eType=1,faceId=\"14\",ext=\"\">", "<em\ufe0foji:4>",
	"<<@M00000002>@M00000002>", "<\u202e@M00000002>", "</ qqbot-at-everyone>", "<\u3000@M00000002>",
}

// tagAsRead matches everything that could be read as a tag in a text without invisible characters.
var tagAsRead = regexp.MustCompile(`<[\s\p{Z}/!]*(?:@|#|qqbot|face|emoji)`)

// isMarkup reports whether some client might show a part of a text as a mention, a face or a button. It is strict: it ignores
// case and characters that nobody sees.
func isMarkup(text string) bool {
	seen := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.C, unicode.M, unicode.Other_Default_Ignorable_Code_Point) || r == utf8.RuneError {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return tagAsRead.MatchString(seen)
}

// An eavesdropper records the bodies of sent messages.
type eavesdropper struct {
	next http.RoundTripper

	mu     sync.Mutex
	bodies []map[string]any
}

func (e *eavesdropper) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/messages") {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			return nil, err
		}
		e.mu.Lock()
		e.bodies = append(e.bodies, body)
		e.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(raw))
	}
	return e.next.RoundTrip(r)
}

// take returns the body of the only message since the last call, or nil for none. It may have been sent again with a new token.
func (e *eavesdropper) take(t *testing.T) (body map[string]any) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.bodies {
		assert.Equal(t, e.bodies[0], b)
		body = b
	}
	e.bodies = nil
	return body
}

// checkPlain checks that a message is want as text, behind mentions, and nothing else.
func checkPlain(t *testing.T, body map[string]any, want string, mentions ...string) {
	t.Helper()
	for name := range body {
		assert.Contains(t, []string{"msg_type", "content", "msg_id", "msg_seq", "message_reference", "media"}, name)
	}
	assert.Contains(t, []any{0.0, 7.0}, body["msg_type"])
	text, _ := body["content"].(string)
	for _, id := range mentions {
		var ok bool
		text, ok = strings.CutPrefix(text, `<qqbot-at-user id="`+id+`" /> `)
		assert.True(t, ok, "%q must mention %s", body["content"], id)
	}
	assert.False(t, isMarkup(text), "%q", text)
	plain := func(s string) string { return strings.ReplaceAll(string([]rune(s)), "＜", "<") }
	assert.Equal(t, plain(want), plain(text), "people see the text as the bot said it")
}

// People get the text of the model unchanged, in groups and in private.
func TestPlainText_Replies(t *testing.T) {
	for _, hostile := range hostileTexts {
		want := speech.Plain(hostile) // without Markdown
		run(t, say(hostile), qqbotlink.Options{}, nil, func(f *fixture) {
			f.s.AllowURLs("example.com")
			f.ann.At("说说")
			f.user.Say("说说")
			f.pass(time.Minute)
			sent := f.s.Sent()
			require.Len(t, sent, 2, "%q", hostile)
			for _, m := range sent {
				checkPlain(t, map[string]any{"msg_type": float64(m.Type), "content": m.Text}, want)
				assert.Empty(t, m.Markdown)
			}
		})
	}
}

// All that an Outgoing has beside mentions is text: a caption, an order to mention everybody, the text behind a mention. The
// platform tells it to others without a mention or a face.
func TestPlainText_Outgoing(t *testing.T) {
	for _, hostile := range hostileTexts {
		alone(t, qqbotlink.Options{}, func(b *bare) {
			b.s.AllowURLs("example.com")
			ann := b.s.Group("G1").SetMode(qqbottest.Full).Member("M1", "Ann")
			said := ann.At("说说")
			synctest.Wait()
			picture, err := social.FeaturesOf(b.link).EncodeImage([]byte("\x89PNG"))
			require.NoError(t, err)
			for _, out := range []persona.Outgoing{
				{Text: hostile, ReplyTo: said.ID}, {Text: hostile, Image: picture}, {Text: hostile, MentionEveryone: true}, {Text: hostile, Mentions: []string{"M1"}},
			} {
				n := len(b.s.Sent())
				_, err := b.send(groupChat("G1"), out)
				require.NoError(t, err, "%q", hostile)
				m := b.s.Sent()[n]
				want := hostile
				if out.MentionEveryone {
					want = "@全体成员 " + hostile
				}
				checkPlain(t, map[string]any{"msg_type": float64(m.Type), "content": m.Text}, want, out.Mentions...)
				assert.Equal(t, out.Mentions, b.mentioned(ann, m.Text))
			}
			n := len(b.s.Sent())
			_, err = b.send(groupChat("G1"), persona.Outgoing{Text: "在", Mentions: []string{hostile}})
			assert.Error(t, err, "an id is no text")
			assert.Len(t, b.s.Sent(), n)
		})
	}
}

// mentioned returns whom a text mentions if somebody says it. It may contain no face.
func (b *bare) mentioned(who *qqbottest.Member, text string) []string {
	b.Helper()
	who.Say(text)
	m := b.last().(persona.Message)
	for _, p := range m.Parts {
		_, face := p.(persona.Face)
		assert.False(b, face, text)
	}
	return m.Mentions
}

// Positive controls: a mention that the bot decides on does mention, and the texts would do so if they were sent as they are.
func TestPlainText_RealMention(t *testing.T) {
	p := modeltest.New(modeltest.Say("有人叫我"), modeltest.Say(`{"action": "text_reply", "reasoning": "有人叫我", "at_user": "M00000001"}`), modeltest.Say("<@M00000002> 在"))
	run(t, p, qqbotlink.Options{}, func(o *social.Options) { o.Reply.Strategy = social.ThinkPlanReply }, func(f *fixture) {
		f.ann.At("说说")
		f.pass(time.Minute)
		sent := f.s.Sent()
		require.Len(t, sent, 1)
		checkPlain(t, map[string]any{"msg_type": 0.0, "content": sent[0].Text}, "<@M00000002> 在", "M00000001")
		assert.True(t, isMarkup(sent[0].Text), "the check finds the mention")
	})
	alone(t, qqbotlink.Options{}, func(b *bare) {
		ann := b.s.Group("G1").SetMode(qqbottest.Full).Member("M1", "Ann")
		markup := 0
		for _, hostile := range hostileTexts {
			if isMarkup(hostile) {
				markup++
			}
		}
		assert.Greater(t, markup, 25)
		assert.Equal(t, []string{"M00000002"}, b.mentioned(ann, hostileTexts[0]))
	})
}

// FuzzPlainText sends any text in every form over a real socket.
func FuzzPlainText(f *testing.F) {
	for i, text := range hostileTexts {
		f.Add(text, uint8(i))
	}
	s := qqbottest.New(qqbottest.Options{})
	f.Cleanup(s.Close)
	s.User("U1")
	s.Group("G1").AllowProactive(true)
	ear := &eavesdropper{next: &http.Transport{}}
	o := qqbot.Options{BaseURL: s.Start(), HTTPClient: &http.Client{Transport: ear}}
	f.Fuzz(func(t *testing.T, text string, form uint8) {
		s.Advance(24 * time.Hour) // the quota
		link := qqbotlink.New(s.Client(o), qqbotlink.Options{})
		chat, out := userChat("U1"), persona.Outgoing{Text: text}
		switch form % 4 {
		case 1:
			out.Image = "https://example.com/a.png"
		case 2:
			out.MentionEveryone = true
			text = "@全体成员 " + text
		case 3:
			chat, out.Mentions = groupChat("G1"), []string{"M1"}
		}
		_, err := link.Send(t.Context(), chat, out)
		body := ear.take(t)
		if body == nil {
			require.Error(t, err)
			return
		}
		if form%4 == 1 && text == "" {
			text = " "
		}
		checkPlain(t, body, text, slices.Clone(out.Mentions)...)
	})
}
