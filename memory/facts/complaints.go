package facts

import (
	"strings"
)

var (
	// noHate words are in what people complain of for a moment, without a subject: 讨厌周一.
	noHate = setOf(" 等人 虚伪 人多 冷空气 化妆 插队 双标 现实 社交 说谎 太甜 太咸 太辣 太贵 出门 打雷 搭理 焦虑 BE 别人 冷清 尴尬 麻烦 达咩 结局 剧情 价格 收费 设定 人设 行为 借口 理由 态度 周一 周末 早起 早八 早高峰 晚高峰 堵 排队 广告 降温 夏天 冬天 秋天 春天 梅雨 回南天 蚊子 蟑螂 虫子 体检 打针 吃药 牙医 论文 复习 老师 室友 邻居 熊孩子 噪音 装修 施工 需求 bug BUG 周报 日报 月报 PPT ppt 汇报 报销 语音 微信 客服 策划 队友 对手 匹配 服务器 延迟 掉线 信号 WiFi wifi 电脑 系统 更新 闹钟 夜班 值班 排班 调休 催 迟到 起床 相亲 催婚 亲戚 聚餐 应酬 敬酒 烟味 二手烟 地铁 公交 停车 油价 房价 房租 物价 涨价 口罩 长痘 发胖 突然 谢谢 要疯 投诉 好烦 天儿 这天 这破 破天 弹窗 推送 感冒 雾霾 太阳 台风 停电 停水 打呼 呼噜 邮件 甲方 体测 军训 早操 作文 英语课 数学课 体育课 月考 期末 开学 点名 查寝 中介 黄牛 诈骗 骚扰 说教 画饼 内卷 职场 人情 礼金 份子")
	// mood words tell of a moment, unless they have a subject or a head such as 对.
	mood = setOf(" 讨厌 烦 烦死 好烦 受不了 恶心 头疼 头大 怕 嫌 恨 不行 无语 想吐 膈应 顶不住 遭不住 扛不住 吃不消 忍不了 反胃")
	// outspoken words need a subject: 拒绝内卷.
	outspoken = setOf(" 拒绝 避雷 抵触 抗拒 排斥 无法接受 接受不了 不能接受 忍不了 看不惯 反感 嫌弃")
	kinds     = setOf(" 什么的 之类的 这种东西 这玩意 那玩意 啥的 这东西 这种食物 这类")
)

// thing reports whether a text names a thing, and not a state: 香菜, and not 赶不上车.
func thing(v string) bool {
	return runes(v) <= 7 && !strings.ContainsAny(v, "不没了着很太会要能把被让给就都也还又再?*_~=.{}()（）…") || lyrics.in(v)
}
