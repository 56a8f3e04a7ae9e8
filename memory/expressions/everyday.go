package expressions

import "strings"

// everyday are words of everyday talk, which are no expressions of a group.
const everyday = `今天 明天 昨天 后天 现在 刚才 刚刚 时候 以后 之后 以前 早上 中午 下午 晚上 周末 周一 周五 今晚 上午 最近 马上 已经 还是 还有 还没 没有 有没有 就是 不是 是不是 可以 可不可以 不能 能不能 不会 会不会 不要 要不要 不知道 知道 知不知道 觉得 感觉 应该 可能 一定 真的 其实 然后 所以 因为 但是 不过 如果 而且 或者 虽然 只是 只有 只能 一下 一个 一起 一点 有点 一直 一样 这个 那个 这样 那样 这么 那么 什么 怎么 怎么样 为什么 哪里 哪个 多少 几点 谁 大家 我们 你们 他们 自己 别人 有人 没人 东西 事情 问题 地方 办法 意思 开始 结束 准备 打算 需要 想要 喜欢 看到 看看 听说 说话 出来 出去 回来 回去 过来 过去 起来 下来 上去 好的 好吧 好啊 好像 好了 可以的 行 嗯 嗯嗯 哦 哦哦 啊 呢 吧 吗 呀 嘛 啦 了 的 哈 哈哈 哈哈哈 哈哈哈哈 哈哈哈哈哈 哈哈哈哈哈哈 是的 对 对啊 对的 没错 确实 真的吗 是吗 不行 不用 不好 没事 没问题 没关系 谢谢 谢谢你 多谢 感谢 不客气 抱歉 对不起 不好意思 早 早安 早上好 晚安 晚上好 你好 再见 拜拜 加油 厉害 牛 牛逼 强 笑死 笑死我了 吃饭 睡觉 上班 下班 上课 下课 回家 出门 工作 学习 考试 作业 公司 学校 老师 同学 朋友 老板 手机 电脑 游戏 电影 视频 图片 照片 天气 下雨 太热 好热 好冷 好累 好困 好饿 好吃 好看 好玩 无聊 开心 难受 突然 终于 居然 竟然 果然 反正 估计 差不多 非常 特别 比较 太 很 都 也 就 又 再 才
the a an and or but if so to of in on at for with from by is am are was were be been do does did have has had i you he she it we they me my your his her our their this that these those what when where who why how not no yes yeah ok okay just really very too also then than there here can could will would should may might lol haha thanks thank please sorry hello hi hey good bad nice great today tomorrow yesterday now later morning night one two some any all more it's i'm don't can't that's
what's let's you're didn't doesn't isn't get got go going went come know think want need like see say said make time day people thing way about out up down over again still only even well back`

func everydayWords() map[string]bool {
	all := strings.Fields(everyday)
	m := make(map[string]bool, len(all))
	for _, w := range all {
		m[w] = true
	}
	return m
}
