package facts

import (
	"strings"
)

// findSubject finds the person that a clause is about, and removes the words before its verb. Without a subject it is
// the person of the clause before, at first the speaker.
func (r *reader) findSubject(text string) (c clause) {
	c = clause{text: text, subject: r.subject, rest: text}
	r.skip(&c)
	if !c.explicit {
		c.text, c.stressed = c.rest, len(c.rest) < len(text)
		c.lead = text[:len(text)-len(c.rest)]
		r.lookAhead(&c)
	}
	if c.subject == "" || !c.explicit || c.subject == r.speaker { // he of the next clause
		for _, m := range r.mentions(text) {
			if !m.self && m.id != "" {
				r.named, r.name = m.id, m.name
				break
			}
		}
	}
	return c
}

// nobody words stand before the name of a person who is unlike all others.
var nobody = setOf(" 没人比 没有人比 没谁比 谁都没有")

// skip removes the subject and other words from the start of a clause.
func (r *reader) skip(c *clause) {
	for range 16 {
		c.rest = strings.TrimLeft(c.rest, " @[【「“\"'：:、")
		if rest, ok := nobody.cut(c.rest); ok && !c.explicit { // 没人比小王更爱香菜
			if _, name := r.names.prefix(rest); name != "" {
				c.rest = rest
			}
		}
		if id, name := r.names.prefix(c.rest); name != "" {
			r.person(c, id, name)
			if id == "" {
				return
			}
			continue
		}
		if rest, ok := selfWords.cut(c.rest); ok {
			if _, name := r.names.prefix(rest); name != "" && !strings.HasSuffix(c.rest[:len(c.rest)-len(rest)], "俩") { // 我们小王
				c.rest = rest
				continue
			}
			if at, ok := ourPlaces.cut(rest); ok {
				if _, name := r.names.prefix(at); name != "" { // 我们办公室小王
					c.rest = at
					continue
				}
			}
			if home := strings.TrimPrefix(rest, "家"); home != rest {
				if _, name := r.names.prefix(home); name != "" && calledOut.begin(home[len(name):]) { // 我们家小王呀
					c.rest = home
					continue
				}
			}
			if isKin(rest) {
				if who, said, ok := strings.Cut(rest, "说"); ok && runes(who) < 6 { // 我同事说小王搬家了
					if _, name := r.names.prefix(said); name != "" {
						c.rest = said
						continue
					}
				}
				c.subject, c.explicit = "", true
				return
			}
			c.subject, c.explicit, c.rest = r.speaker, true, cutPossessive(rest)
			continue
		}
		if rest, ok := thirdPersons.cut(c.rest); ok {
			if _, name := r.names.prefix(rest); strings.HasPrefix(c.rest, "人家") && (name != "" || firms.begin(rest)) { // 人家小王
				c.rest = rest
				continue
			}
			c.subject, c.explicit, c.rest = r.named, true, cutPossessive(rest)
			if isKin(c.rest) {
				c.subject = ""
			}
			if c.subject == "" {
				return
			}
			continue
		}
		if rest, ok := cutReport(c.rest); ok { // 听我妈说
			c.rest = rest
			continue
		}
		if w, _ := strangers.begins(c.rest); w != "" && !c.explicit {
			if _, name := r.names.prefix(strings.TrimPrefix(c.rest[len(w):], "的")); name != "" && besides.is(w) { // 楼上小王
				c.rest = strings.TrimPrefix(c.rest[len(w):], "的")
				continue
			}
			if who, said, ok := cutSaid(c.rest); ok && runes(who) < 6 { // 隔壁李姐讲小王当老师了
				if _, name := r.names.prefix(said); name != "" {
					c.rest = said
					continue
				}
			}
			if titles.is(w) && !strings.HasPrefix(c.rest[len(w):], "说") {
				c.rest = c.rest[len(w):]
				continue
			}
			c.subject, c.explicit, c.rest = "", true, c.rest[len(w):]
			c.thing = strings.HasPrefix(w, "这") || strings.HasPrefix(w, "那") || strings.HasPrefix(w, "每") || w == "它"
			return
		}
		if w, _ := titles.begins(c.rest); w != "" && !c.explicit && (strings.HasPrefix(c.rest[len(w):], "我") || strings.HasPrefix(c.rest[len(w):], "的") || titleVerbs.begin(c.rest[len(w):])) {
			c.rest = strings.TrimPrefix(c.rest[len(w):], "的")
			continue
		}
		if rest, ok := future.cut(c.rest); ok {
			c.rest, c.future = rest, true
			continue
		}
		if w, _ := past.begins(c.rest); w != "" {
			c.rest, c.past = cutPossessive(c.rest[len(w):]), c.past || !(w == "之前" && c.future)
			continue
		}
		if rest, ok := fillers.cut(c.rest); ok && !r.hearing(c.rest, rest) {
			if c.rest[:len(c.rest)-len(rest)] == "原来" && (wanted.begin(rest) || loving.begin(degrees.cutAll(rest))) {
				c.past = true
			}
			c.rest = rest
			continue
		}
		return
	}
}

// wanted words make 原来 tell of the past.
var wanted = setOf(" 想 要 打算 准备 计划 说 是想 决定 约 -想不到 -要不是 -说的是 -想着")

// cutSaid splits a text at a verb of saying.
func cutSaid(text string) (who, said string, ok bool) {
	for _, verb := range [...]string{"说", "讲", "告诉我"} {
		if who, said, ok = strings.Cut(text, verb); ok {
			return who, said, true
		}
	}
	return "", "", false
}

var (
	// ourPlaces stand between 我们 and the name of one of us.
	ourPlaces = setOf(" 办公室的 办公室 科室的 科室 班的 班 组的 组里的 组 部门的 部门 单位的 单位 公司的 公司 宿舍的 宿舍 寝室的 寝室 群的 群里的 群 小区的 小区 楼的 楼上的 楼下的 店的 店里的 店 厂的 厂里的 厂 村的 村 学校的 学校 车间的 车间 隔壁的 隔壁 对门的 对门 这的 这儿的 这里的 团的 公会的 公会 战队的 战队 科的 科 队的 队 那个 这边的 这边 院的 院 社团的 社团 工地的 工地")
	// besides words tell who a person is whose name follows.
	besides = setOf(" 楼上 楼下 隔壁 对门 邻居 同事 室友 舍友 同学 老板 群主 管理员 同桌 班长 客户 领导 房东 表哥 表弟 表姐 表妹 老师 师傅 那 这 你们 大家 朋友")
)

// hearing reports whether the word before rest is the verb of 听相声 and 看漫画.
func (r *reader) hearing(text, rest string) bool {
	switch text[:len(text)-len(rest)] {
	case "听", "看":
		_, name := r.names.prefix(rest)
		return name == "" && rest != "" && !selfWords.begin(rest) && !thirdPersons.begin(rest)
	}
	return false
}

// person makes a person who is named at the start of a clause its subject.
func (r *reader) person(c *clause, id, name string) {
	c.subject, c.explicit, c.rest = id, true, strings.TrimLeft(c.rest[len(name):], " ")
	if r.named, r.name = id, name; id == "" {
		return
	}
	c.rest = afterName.cutAll(c.rest)
	if said, ok := saying.cut(c.rest); ok {
		c.rest, c.reported = strings.TrimLeft(said, " "), true
	}
	c.rest = cutPossessive(c.rest)
	if isKin(c.rest) && !strings.HasPrefix(c.rest, "哥") && !strings.HasPrefix(c.rest, "姐") {
		c.subject = ""
	}
}

// lookAhead finds a subject in the middle of a clause: 别看小王不吭声, 香菜我不爱.
func (r *reader) lookAhead(c *clause) {
	for i, char := range c.rest {
		if i == 0 || char < 0x2E80 && !isLetter(c.rest[i]) {
			continue
		}
		at := c.rest[i:]
		if insideWord(c.rest, i) {
			continue
		}
		_, name := r.names.prefix(at)
		self, _ := selfWords.begins(at)
		lead := strings.TrimRight(c.rest[:i], " ")
		if name == "" && self == "" || objectOf.ends(lead) != "" && perceiving.ends(lead) == "" {
			continue
		}
		before, old := c.rest[:i], *c
		c.rest = at
		r.skip(c)
		if !c.explicit {
			*c = old
			continue
		}
		c.before = before
		return
	}
}

// cutReport removes 听…说 and the like from the start of a clause.
func cutReport(c string) (rest string, ok bool) {
	w, _ := reports.begins(c)
	if w == "" {
		return c, false
	}
	head := c[len(w):]
	who, said, found := strings.Cut(head, "说")
	if !found || runes(who) > 6 || who == "" {
		return c, false
	}
	if selfWords.in(who) || strangers.in(who) || kin.in(who) {
		return strings.TrimPrefix(said, "了"), true
	}
	return head, true // the person who says so may be the subject, too
}
