package inspect_test

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toolThenWords calls a tool in the first step of a turn, and then says something else each time.
func toolThenWords() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		switch names := p.ToolNames(); {
		case strings.Contains(p.Human(), "改过的"):
			return modeltest.Say("第二次的回答")
		case len(names) > 0 && len(p.Messages) == 2:
			return modeltest.Call(names[0], map[string]string{"x": "参数"})
		}
		return modeltest.Say("第一次的回答")
	})
}

// field returns the text of a text area, as a browser would send it back.
func field(t *testing.T, page, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)<textarea id="` + name + `"[^>]*>\n(.*?)</textarea>`).FindStringSubmatch(page)
	require.NotNil(t, found, name)
	return strings.ReplaceAll(html.UnescapeString(found[1]), "\n", "\r\n")
}

// A prompt with a system prompt and tool steps is asked again as it was, edited, with both answers and their tokens side by side.
func TestPages_TryWithSteps(t *testing.T) {
	h := newHouse(t, toolThenWords())
	h.calls("查一下 " + hostile)
	at := ""
	for _, link := range regexp.MustCompile(`href="(/bot/0/call\?seq=\d+)"`).FindAllStringSubmatch(h.get(h.judged()), -1) {
		at = link[1] // the last call has the result of the tool
	}
	require.NotEmpty(t, at)
	page := h.get(at)
	assert.Contains(t, page, "第一次的回答")
	form := url.Values{"seq": {regexp.MustCompile(`\d+$`).FindString(at)}}
	for _, name := range []string{"system", "prompt", "steps"} {
		form.Set(name, field(t, page, name))
	}
	assert.Contains(t, form.Get("steps"), "参数", "the call of the tool")
	first := h.model.Prompts()[len(h.model.Prompts())-1]
	ask := func() (string, modeltest.Prompt) {
		t.Helper()
		before := len(h.model.Prompts())
		status, again := h.do(http.MethodPost, "/bot/0/try", ownerToken, form)
		require.Equal(t, http.StatusOK, status)
		require.Len(t, h.model.Prompts(), before+1)
		return again, h.model.Prompts()[before]
	}
	_, same := ask()
	assert.Equal(t, first.System(), same.System(), "to the byte")
	assert.True(t, strings.HasPrefix(same.Human(), strings.TrimSuffix(first.Human(), "\n")), "to the byte")
	assert.Contains(t, same.Human(), "参数")
	assert.NotContains(t, same.Text(), "\r")
	assert.Empty(t, same.ToolNames())

	form.Set("prompt", "改过的 "+hostile)
	form.Set("steps", "")
	again, changed := ask()
	assert.NotContains(t, changed.Human(), "参数")
	for _, text := range []string{"第一次的回答", "第二次的回答", "当时的回答", "这次的回答"} {
		assert.Contains(t, again, text)
	}
	assert.Regexp(t, `\d+ token \(提示词 \d+\) · `, again)
	assert.NotContains(t, again, "<script>document")
	assert.Contains(t, field(t, again, "prompt"), "改过的", "the form keeps what was typed")
	assert.Empty(t, strings.TrimSpace(field(t, again, "steps")))
	assert.Len(t, h.qq.Sent(), 1, "nothing was sent")
}

// A refusingBot answers no tried prompt.
type refusingBot struct {
	inspect.Bot
	err error
}

func (b refusingBot) TryPrompt(context.Context, models.Purpose, string, string) (string, models.Usage, error) {
	return "", models.Usage{}, b.err
}

// The page says what to do if the budget refuses, and what failed otherwise.
func TestPages_TryFails(t *testing.T) {
	h := newHouse(t, modeltest.Always(modeltest.Say("当时说的")))
	for err, both := range map[error][2]string{
		social.ErrOverBudget:            {"要留给回复", "reserved for replies"},
		errors.New("429 slow down <b>"): {"模型没有回答：429 slow down &lt;b&gt;", "The model did not answer: 429"},
	} {
		pages, failed := inspect.New(inspect.Options{Bots: []inspect.Named{{Name: "小炉", Bot: refusingBot{h.bot, err}}}, Token: ownerToken})
		require.NoError(t, failed)
		server := httptest.NewServer(pages)
		old := h.server
		h.server = server
		h.calls("在吗")
		seq := regexp.MustCompile(`\d+$`).FindString(h.link(h.judged(), "/bot/0/call"))
		for i, lang := range []string{"zh", "en"} {
			status, page := h.do(http.MethodPost, "/bot/0/try?lang="+lang, ownerToken, url.Values{"seq": {seq}, "system": {"s"}, "prompt": {"p"}})
			assert.Equal(t, http.StatusOK, status)
			assert.Contains(t, page, both[i])
			assert.Contains(t, page, `role="alert"`)
			assert.Contains(t, page, "当时说的")
		}
		h.server = old
		server.Close()
		pages.Close()
	}
}
