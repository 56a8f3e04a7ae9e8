package facts

import (
	"strings"
)

var (
	// knowing questions follow a statement and ask nothing.
	knowing = setOf(" 你不知道吗 你不知道啊 你不知道 你们不知道吗 你们不知道啊 你们不知道 你们都不知道 不知道吗 你知道吗 你们知道吗 知道吗 你知道不 你们知道不 知道不 知道吧 你才知道 你们才知道 才知道吗 没听说吗 你没听说 你们没听说 没看出来吗 你们没看出来吗 看不出来吧 没想到吧 想不到吧 你敢信 敢信吗 你敢信吗 懂吗 懂吧 懂不懂 是吧 对吧")
	// doubting questions ask whether the statement before is true.
	doubting = setOf(" 真的假的 真的吗 真的么 真的嘛 是真的吗 真的是吗 是真的么 真的不 是吗 是么 是嘛 对吗 对么 对不对 是不是 是不是真的 是不是啊 有没有这回事 有这回事吗 有这事吗 靠谱吗 保真吗 谁知道 谁知道啊 有人知道吗 求证 求辟谣 确定吗 真假")
	// onlyMe begins a question of somebody who believes to be the only one.
	onlyMe    = setOf(" 不会只有我一个人 不会只有我 难道只有我一个人 难道只有我 难道就我一个人 难道就我 只有我一个人 只有我 就我一个人 就我一个 就只有我 是不是只有我 是不是就我 没人跟我一样 没人和我一样 没有人跟我一样 没有人和我一样 有没有人跟我一样 有没有人和我一样 有没有跟我一样 有没有和我一样 有人跟我一样 有人和我一样 谁跟我一样 谁和我一样 还有谁跟我一样 还有谁和我一样 还有人跟我一样 还有人和我一样")
	wellKnown = setOf(" 谁不知道 谁不晓得 谁还不知道 谁不认识 哪个不知道 全群都知道 全世界都知道 地球人都知道 众所周知 谁不知")
	asking    = setOf(" 吗 嘛 么 呀 啊 呢 吧 ~ ～ 的呀 的吗")
	isSo      = setOf(" 在 住 做 当 从 刚 有 养 搬 说 最 喜欢 打算 要 准备 去 爱 超 特别 很 就 早 已经 一直 也 叫 跟 和")
)

// rhetorical returns the statement in a clause that only looks like a question.
func (r *reader) rhetorical(c string) (statement string, ok bool) {
	if rest, ok := wellKnown.cut(c); ok { // 谁不知道小王爱香菜啊
		return asking.cutEnds(rest), true
	}
	if w, _ := onlyMe.begins(c); w != "" { // 只有我一个人讨厌香菜吗
		return "我" + asking.cutEnds(strings.TrimSpace(c[len(w):])), true
	}
	if short, ok := knowing.cutEnd(asking.cutEnds(c)); ok && short != "" { // 李四是小王女朋友啊你不知道
		return strings.TrimSpace(short), true
	}
	if before, after, found := strings.Cut(c, "不就是"); found { // 小王的对象不就是李四嘛
		if short, ok := cutEndAny(c, []string{"嘛", "吗", "么"}); ok {
			return before + strings.TrimPrefix(short[len(before):], "不"), after != ""
		}
	}
	if role, ok := strings.CutPrefix(c, "我们"); ok { // 我们程序员哪有周末啊
		if before, _, found := strings.Cut(role, "哪"); found && isRole(strings.TrimSpace(before)) {
			return "我是" + before, true
		}
	}
	if w, _ := ownRoles.begins(c); w != "" { // 我一个程序员哪懂这些啊
		if before, _, found := strings.Cut(c, "哪"); found && roleAtStart(before[min(len(before), len(w)):]) != "" {
			return before, true
		}
	}
	if before, after, found := strings.Cut(c, "不是"); found && strings.HasSuffix(c, "嘛") { // 小王不是最爱香菜嘛
		after = strings.TrimSpace(strings.TrimSuffix(after, "嘛"))
		if !isSo.begin(after) {
			before += "是"
		}
		return before + after, before != "是"
	}
	return c, false
}

// isDoubt reports whether a clause doubts the one before: 听说小王去腾讯了，真的假的.
func isDoubt(c string) bool {
	w, _ := doubting.begins(c)
	return w != "" && particles.cutEnds(c[len(w):]) == ""
}
