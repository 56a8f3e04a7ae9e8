package patch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const shared = "intro\n# 主人\n生日是三月一日\n## 喜好\n茶\n# 群聊\n小明喜欢猫\n"

// groupSections allows all sections under "# 群聊".
func groupSections(section []string) bool { return len(section) > 0 && section[0] == "# 群聊" }

func TestOptions_Allow(t *testing.T) {
	o := patch.Options{Allow: groupSections}
	for _, c := range []struct{ name, patch, want string }{
		{"its own section", "@@ # 群聊\n-小明喜欢猫\n+小明喜欢狗", strings.Replace(shared, "猫", "狗", 1)},
		{"by any header", "@@\n-小明喜欢猫", strings.Replace(shared, "小明喜欢猫\n", "", 1)},
		{"a section of its own below", "@@ ## 小明\n+喜欢猫", shared + "\n## 小明\n喜欢猫\n"},
	} {
		got, err := patch.Apply(shared, patchOf(c.patch), o)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
	for _, c := range []struct{ name, patch string }{
		{"append", "@@ # 主人\n+x"},
		{"append below", "@@ # 主人\n+## x\n+y"},
		{"a twin of the heading", "@@ # 群聊\n+# 主人\n+x"},
		{"a twin, with another space", "@@ # 群聊\n+#   主人\n+x"},
		{"a new heading", "@@ # 别的\n+x"},
		{"the heading of its own", "@@\n-# 群聊"},
		{"a heading of its own rank", "@@ # 群聊\n+# 别的"},
	} {
		_, err := patch.Apply(shared, patchOf(c.patch), o)
		assert.ErrorIs(t, err, patch.ErrForbidden, c.name)
	}
	// A forbidden section is indistinguishable from a missing one.
	for _, there := range []string{"生日是三月一日", "茶", "intro", "# 主人"} {
		for _, form := range []string{"@@\n-%", "@@ # 主人\n-%", "@@ # 群聊\n-%", "@@\n %\n+x", "@@ ## 喜好\n %\n-小明喜欢猫"} {
			_, err := patch.Apply(shared, patchOf(strings.ReplaceAll(form, "%", there)), o)
			require.ErrorIs(t, err, patch.ErrConflict)
			_, other := patch.Apply(shared, patchOf(strings.ReplaceAll(form, "%", "没有的")), o)
			require.ErrorIs(t, other, patch.ErrConflict)
			assert.Equal(t, other.Error(), strings.ReplaceAll(err.Error(), `"`+there+`"`, `"没有的"`))
		}
	}
	for _, guess := range []string{"生日是三月 一日", "ｉｎｔｒｏ", " 茶"} {
		_, err := patch.Apply(shared, patchOf("@@\n-"+guess), o)
		assert.NotContains(t, err.Error(), "; line", "no forbidden line is quoted: %v", err)
	}
}

func TestChangedSections_Differences(t *testing.T) {
	for _, c := range []struct {
		name, after string
		want        []string
	}{
		{"nothing", shared, nil},
		{"a line", strings.Replace(shared, "茶", "咖啡", 1), []string{"# 主人/## 喜好"}},
		{"before the first heading", "x\n" + shared, []string{""}},
		{"blank lines between sections", strings.Replace(shared, "# 群聊", "\n\n# 群聊", 1), nil},
		{"a heading taken out", strings.Replace(shared, "## 喜好\n", "", 1), []string{"# 主人", "# 主人/## 喜好"}},
		{"a heading put in", strings.Replace(shared, "小明", "## 小明\n", 1), []string{"# 群聊", "# 群聊/## 小明"}},
		{"a fence put in", strings.Replace(shared, "intro", "```", 1), []string{"", "# 主人", "# 主人/## 喜好", "# 群聊"}},
		{"a bold line put in", shared + "**x**\ny\n", []string{"# 群聊/**x**"}},
		{"all", "", []string{"", "# 主人", "# 主人/## 喜好", "# 群聊"}},
	} {
		var got []string
		for _, path := range patch.ChangedSections(shared, c.after) {
			got = append(got, strings.Join(path, "/"))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		assert.Equal(t, c.want, got, c.name)
	}
}
