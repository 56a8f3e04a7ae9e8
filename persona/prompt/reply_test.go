package prompt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsSilence_WholeReply(t *testing.T) {
	for _, s := range []string{"", " \n\t", "[skip]", "[SKIP]", " [Skip]\n", "［ｓｋｉｐ］", "［SKIP］\u3000", "\ufeff[skip]\u200b", "[ｓkip]"} {
		assert.True(t, IsSilence(s), "%q", s)
		assert.Empty(t, replyText(s), "%q", s)
	}
	for _, s := range []string{
		"skip", "[skip] 好", "好 [skip]", "我回复 [skip] 就是不想说话", "[skip][skip]", "`[skip]`", "[skip]。", "[ skip ]", "[跳过]", "。", "0",
		strings.Repeat("[skip]", 1000),
	} {
		assert.False(t, IsSilence(s), "%q", s)
		assert.Equal(t, s, replyText(s))
	}
}

func TestReplyText_RemovesThinking(t *testing.T) {
	for in, want := range map[string]string{
		"<think>他在问我</think>\n\n在的": "在的",
		"<think>不关我事</think>[skip]": "",
		"想了想</think>在的":             "在的",
		"<think>还没想完":               "",
		"\n <think></think>":        "",
		"我说<think>不是标签</think>吗":    "我说<think>不是标签</think>吗",
		"在的\x00\x1b[31m\u0085":      "在的[31m",
		"a\xffb":                    "a\uFFFDb",
	} {
		assert.Equal(t, want, replyText(in), "%q", in)
	}
}
