package facts

import (
	"strings"
)

var (
	// hired words tell of a new job, wherever they stand in a message.
	hired = setOf(" 入职 录用 录取了 签了合同 签的合同 签合同 报到 转正 下家 新工作 新东家 换工作 换了工作 换单位 换公司 换东家 跳槽 上岸 面上了 面过了 社招 校招 到岗 上班一周 开始上班 找到工作 有班上 试用期 上班半个月 上班一个月")
	// notHired words tell of others, or of doubts.
	notHired = setOf(" 招人 招聘 招募 内推 投了 投递 简历 笔试 挂了 被拒 没过 难 卷 待遇 怎么样 羡慕 听说 想去 想进 梦想 要是 别 不想 没 热搜 新闻 股价 裁员 离职 辞")
)

// jobNews reads the firm of a message that tells of a new job without any of the other frames: 腾讯，打工人，到岗.
func (r jobReader) jobNews(text string) {
	if !r.aboutJob || r.asked || r.subject == "" || !hired.in(text) || notHired.in(text) {
		return
	}
	for i := range r.claims {
		if r.claims[i].Relation == Job {
			return
		}
	}
	before, w, after := firms.find(text)
	if _, more, _ := firms.find(after); w == "" || more != "" || visited.is(w) || past.in(before) || origins.ends(strings.TrimSpace(before)) != "" || (strangers.in(before) || kin.in(before)) && !r.self {
		return
	}
	if people := r.names.Named(text); len(people) > 1 || len(people) == 1 && people[0] != r.subject {
		return
	}
	r.add(r.subject, Job, w, false)
}
