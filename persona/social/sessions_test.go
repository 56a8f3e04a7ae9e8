package social_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const headSummary = "记"

// ownerPrompt returns the last prompt of a turn that answered the owner.
func (f *autonomyFixture) ownerPrompt(text string) modeltest.Prompt {
	f.Helper()
	_, err := f.bot.OwnerMessage(f.Context(), text)
	require.NoError(f, err)
	all := f.prompts("")
	require.NotEmpty(f, all)
	return all[len(all)-1]
}

// The archive ends the owner's session: the next prompt has a summary of it and its last ten messages, also after a
// restart. The review is shown all of it.
func TestSession_ArchiveOpensNext(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer(headSummary, modeltest.Say("主人说了一串数"))
		f.answer(headReview)
		var p modeltest.Prompt
		for i := range 12 {
			f.answer("", modeltest.Say("收到"+strconv.Itoa(i)))
			p = f.ownerPrompt("数字" + strconv.Itoa(i) + "。")
			f.advance(20 * time.Second)
		}
		assert.Contains(t, p.Text(), "数字0。", "one session")
		assert.NotContains(t, p.Text(), "上一段对话")
		f.advance(10 * time.Minute)
		require.Len(t, f.resultsOf(schedule.WakeArchive), 1)
		written := f.prompts(headSummary)
		require.Len(t, written, 1)
		assert.Contains(t, written[0].Text(), "数字0。")
		reviews := f.prompts(headReview)
		require.Len(t, reviews, 1)
		assert.Contains(t, reviews[0].Text(), "数字0。", "the review is shown the whole session")

		for range 2 {
			f.answer("", modeltest.Say("在"))
			p = f.ownerPrompt("接着说")
			assert.NotContains(t, p.Text(), "数字6。", "the session is cleared")
			assert.NotContains(t, p.Text(), "收到6")
			assert.Contains(t, p.Text(), "主人说了一串数")
			for _, want := range []string{"数字7。", "收到11"} {
				assert.Contains(t, p.Text(), want, "its last ten messages open the next one")
			}
			f.restart(nil)
			f.advance(time.Second)
		}
		all, err := f.bot.Sessions(f.Context())
		require.NoError(t, err)
		require.NotEmpty(t, all)
		assert.Equal(t, schedule.Origin{Mode: persona.Agent}, all[0].Origin)
		assert.Equal(t, "主人说了一串数", all[0].Text)
		assert.Equal(t, 24, all[0].Messages)
	})
}

// Until a summary is written, nothing is cleared. After three failures the session ends without one.
func TestSession_FailedSummary(t *testing.T) {
	withAutonomy(t, func(o *social.Options) { o.Background.Autonomy.Planner.BackgroundPerHour = -1 }, func(f *autonomyFixture) {
		failed := modeltest.Fail(assert.AnError)
		f.answer(headSummary, failed, failed, failed)
		f.answer("", modeltest.Say("收到"), modeltest.Say("收到"), modeltest.Say("收到"), modeltest.Say("收到"), modeltest.Say("收到"), modeltest.Say("收到"), modeltest.Say("在"), modeltest.Say("在"))
		for i := range 6 {
			f.ownerPrompt("数字" + strconv.Itoa(i) + "。")
		}
		f.advance(3*time.Minute + time.Second)
		require.Len(t, f.prompts(headSummary), 1)
		assert.Contains(t, f.ownerPrompt("还在吗").Text(), "数字0。")
		f.advance(10 * time.Minute)
		p := f.ownerPrompt("在吗")
		assert.NotContains(t, p.Text(), "数字0。")
		assert.Contains(t, p.Text(), "数字5。")
	})
}

// Text of others in the owner's session is not in the summary, and remains a stub in the next session.
func TestSession_KeepsStubs(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.group.Say(alice, onebot.Message{onebot.Text("秘密口令是芝麻开门")})
		f.advance(time.Minute)
		f.answer("", modeltest.Call("read_social_memory", map[string]any{"query": "口令"}), modeltest.Say("群里说口令是芝麻开门"),
			modeltest.Say("好"), modeltest.Say("好"), modeltest.Say("好"), modeltest.Say("好"), modeltest.Say("好"), modeltest.Say("好"))
		f.answer(headSummary, modeltest.Say("问了群里的事"))
		for _, text := range []string{"一", "二", "三", "四"} {
			f.ownerPrompt(text)
		}
		f.advance(time.Second)
		f.answer("", modeltest.Call("read_social_memory", map[string]any{"query": "口令"}), modeltest.Say("又查了，口令是芝麻开门"), modeltest.Say("好"), modeltest.Say("好"))
		f.ownerPrompt("群里说什么")
		f.ownerPrompt("五")
		f.advance(10 * time.Minute)
		summaries := f.prompts(headSummary)
		require.Len(t, summaries, 1)
		assert.NotContains(t, summaries[0].Text(), "芝麻开门")
		p := f.ownerPrompt("然后呢")
		assert.NotContains(t, p.Text(), "芝麻开门")
		assert.Contains(t, p.Text(), "用 memory_ops 打开 id", "the stub goes along")
		assert.Contains(t, p.Text(), "问了群里的事")
		assert.Contains(t, p.ToolNames(), "shell_exec", "the turn is trusted")
		assert.NotContains(t, p.Text(), "一</msg>")
	})
}

// Erasing the owner's messages removes the summary that was made from them.
func TestSession_SummaryIsErased(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer(headSummary, modeltest.Say("主人说了一串数"))
		for i := range 6 {
			f.answer("", modeltest.Say("收到"))
			f.ownerPrompt("数字" + strconv.Itoa(i) + "。")
		}
		f.advance(10 * time.Minute)
		f.answer("", modeltest.Say("在"), modeltest.Say("在"))
		assert.Contains(t, f.ownerPrompt("在吗").Text(), "主人说了一串数")
		var first string
		for r, err := range f.store.Scan(f.Context(), memory.Owner, 0) {
			require.NoError(t, err)
			if strings.Contains(r.Text, "数字0。") {
				first = r.ID
			}
		}
		require.NotEmpty(t, first)
		require.NoError(t, memorytest.New(f, f.store, memory.Options{}).Delete(f.Context(), memory.Owner, first))
		assert.NotContains(t, f.ownerPrompt("在吗").Text(), "主人说了一串数")
	})
}

// Archived conversations of groups and background turns are listed, and erasing the group removes them.
func TestSession_ListAndErase(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", modeltest.Say("嗯"))
		f.answer(headReview, modeltest.Say("张三问了好"))
		f.answer(headPlan, modeltest.Say("没什么打算"))
		f.group.Say(alice, at(botID, "你好"))
		f.advance(20 * time.Minute)
		var got []string
		list := func() {
			all, err := f.bot.Sessions(f.Context())
			require.NoError(t, err)
			got = nil
			for _, s := range all {
				got = append(got, strings.TrimSpace(s.Origin.Session()+" "+strconv.Itoa(s.Messages)+" "+s.Text))
			}
		}
		list()
		assert.Contains(t, got, "session_social:group_1 2")
		assert.Contains(t, got, "session_social:group_1 0 张三问了好")
		assert.Contains(t, got, "0 没什么打算")
		_, err := f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		list()
		assert.NotContains(t, strings.Join(got, "\n"), "group_1")
		assert.Contains(t, got, "0 没什么打算")
	})
}
