package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A purposeService is a model behind HTTP that can do every task. It keeps the tasks.
func purposeService(t *testing.T) (m *modeltest.Model, url string) {
	t.Helper()
	m = modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		return modeltest.Say(map[string]string{"决定": `{"action": "text_reply", "reasoning": "他在等我"}`, "写": "在的", "判断申请": `{"decision": "approve"}`}[headOf(p)])
	})
	api := httptest.NewServer(m.Handler())
	t.Cleanup(api.Close)
	return m, api.URL + "/v1"
}

// headOf returns the task of a prompt.
func headOf(p modeltest.Prompt) string {
	_, head, _ := strings.Cut(p.Human(), "## 现在：")
	head, _, _ = strings.Cut(head, "\n")
	return head
}

func headsOf(m *modeltest.Model) (all []string) {
	for _, p := range m.Prompts() {
		all = append(all, headOf(p))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Below models: each purpose has its own service, and a second model where the first is out of quota. Without that section one
// service does all.
func TestRun_ModelsByPurpose(t *testing.T) {
	for _, own := range []bool{false, true} {
		t.Run(fmt.Sprint(own), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			main, mainURL := purposeService(t)
			judge, judgeURL := purposeService(t)
			plan, planURL := purposeService(t)
			background, backgroundURL := purposeService(t)
			empty := modeltest.Always(modeltest.HTTPError(402, "no money"))
			api := httptest.NewServer(empty.Handler())
			t.Cleanup(api.Close)
			qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
			defer qq.Close()
			group := qq.Group(1, "群")
			group.Member(che, "阿澈")
			key := filepath.Join(dir, "key")
			require.NoError(t, os.WriteFile(key, []byte("sk-of-the-test\n"), 0o600))
			text := "onebot: " + qq.Start() + "\nspeed: 50\nseed: 1\ntyping: off\nattention: mention\nstrategy: three\ntrace: true\nlang: en\nmodel: openai\nmodel-name: m\nbase-url: " + mainURL + "\nkey-file: " + key + "\n"
			if own {
				text += "models:\n  judge: {model-name: j, base-url: " + judgeURL + "}\n  plan:\n  - {model-name: empty, base-url: " + api.URL + "/v1}\n  - {model-name: p, base-url: " + planURL + "}\n" +
					"  background: {model-name: b, base-url: " + backgroundURL + "}\n"
			}
			file := filepath.Join(dir, "groupbot.yaml")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))

			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			var out, diagnostics bytes.Buffer
			ended := make(chan error, 1)
			go func() { ended <- run(ctx, []string{"-config", file}, bytes.NewReader(nil), &out, &diagnostics) }()
			require.NoError(t, qq.WaitLink(ctx))
			group.Say(che, onebot.Message{onebot.Text("小炉，在吗")})
			sent, err := qq.WaitSent(ctx, 1)
			require.NoError(t, err)
			assert.Equal(t, "在的", sent[0].Message.Text())
			qq.FriendRequest(3001, "小满", "我是隔壁群的小满")
			asked := func(m *modeltest.Model, head string) {
				t.Helper()
				require.Eventually(t, func() bool { return slices.Contains(headsOf(m), head) }, patience, 10*time.Millisecond)
			}
			answered := func() {
				t.Helper()
				require.Eventually(t, func() bool { return len(qq.Requests()) == 1 && qq.Requests()[0].Answered }, patience, 10*time.Millisecond)
			}
			if !own {
				asked(main, "看人")
				asked(main, "判断申请")
				stop()
				require.NoError(t, <-ended)
				for _, m := range []*modeltest.Model{judge, plan, background, empty} {
					assert.Empty(t, headsOf(m))
				}
				assert.Subset(t, headsOf(main), []string{"决定", "写", "判断申请", "想", "看人"})
				assert.Contains(t, out.String(), "model plan m ")
				return
			}
			asked(background, "看人")
			asked(judge, "判断申请")
			answered() // a stop would interrupt the call
			stop()
			require.NoError(t, <-ended)
			assert.Equal(t, []string{"判断申请"}, headsOf(judge))
			assert.Equal(t, []string{"决定", "想"}, headsOf(plan))
			assert.NotContains(t, headsOf(background), "写")
			assert.Contains(t, headsOf(main), "写")
			for _, other := range []string{"决定", "想", "判断申请", "看人"} {
				assert.NotContains(t, headsOf(main), other)
			}
			assert.Len(t, empty.Prompts(), 1, "then its breaker is open")
			assert.Contains(t, out.String(), "failed: empty out of quota (402)")
			assert.Contains(t, out.String(), "model plan p ")
			assert.Contains(t, out.String(), "model reply m ")
			assert.Contains(t, out.String(), "model judge j ")
			assert.Contains(t, out.String(), "model background b ")
			assert.Regexp(t, ` background=\d+/\d+ judge=1/\d+ plan=3/\d+ reply=\d+/\d+`, diagnostics.String(), "three calls to plan, one of which failed")
			assert.NotContains(t, out.String()+diagnostics.String(), "sk-of-the-test")
		})
	}
}

// A voice message that QQ does not transcribe is heard by a model, and answered by a voice message of another one.
func TestRun_HearsAndSpeaks(t *testing.T) {
	t.Parallel()
	m := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		switch {
		case p.Voice != "":
			return modeltest.Voice([]byte("ID3 "+p.Voice+" "+strings.TrimSpace(p.Human())), "audio/mpeg")
		case strings.Contains(p.Human(), "[语音：周末去爬山吗]"):
			return modeltest.Say("去，七点走。")
		case strings.Contains(p.Human(), "session_info"):
			return modeltest.Say("没听清。")
		}
		return modeltest.Say("周末去爬山吗") // the transcript
	})
	api := httptest.NewServer(m.Handler())
	t.Cleanup(api.Close)
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉", Quirks: onebottest.SnowLuma}) // returns recordings in the answer
	defer qq.Close()
	url := qq.Start()
	friend := qq.Friend(man, "小满")
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	ended := make(chan error, 1)
	var out, diagnostics bytes.Buffer
	go func() {
		ended <- run(ctx, []string{
			"-onebot", url, "-speed", "50", "-attention", "mention", "-layers", "off", "-model", "ollama", "-model-name", "m", "-base-url", api.URL + "/v1",
			"-model-for", "hear=ears", "-model-for", "speak=mouth", "-voice", "soft",
		}, bytes.NewReader(nil), &out, &diagnostics)
	}()
	require.NoError(t, qq.WaitLink(ctx))
	friend.Say(qq.Voice("a.amr", []byte("ID3 recorded"), ""))
	sent, err := qq.WaitSent(ctx, 1)
	require.NoError(t, err)
	require.Len(t, sent[0].Message, 1)
	assert.Equal(t, "record", sent[0].Message[0].Type, sent[0].Message.Text())
	media, _ := sent[0].Message[0].Media()
	assert.Equal(t, "base64://"+base64.StdEncoding.EncodeToString([]byte("ID3 soft 去，七点走。")), media.File)
	stop()
	require.NoError(t, <-ended)
	assert.Regexp(t, ` hear=1/\d+ reply=1/\d+ speak=1/\d+`, diagnostics.String())
}
