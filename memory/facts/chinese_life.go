package facts

import (
	"slices"
	"strings"
)

var (
	jobContext = []string{"换工作", "换了工作", "换了份工作", "换了个工作", "找到工作", "新工作", "跳槽", "入职", "离职", "辞职", "转岗"}
	jobEnds    = []string{"辞职", "离职", "失业", "被裁", "被优化", "裸辞", "下岗", "没工作", "没有工作", "把工作辞", "辞了工作", "辞掉了工作", "辞掉工作", "退休"}
	working    = []string{"上班", "工作", "打工", "任职", "就职", "实习", "做事", "搬砖", "当牛马", "干活"}
	joining    = []string{"入职了", "入职", "跳槽到", "跳槽去了", "跳槽去", "跳到", "跳槽进了", "加入了", "加入", "进了", "考进了", "考进", "签了"}
	becoming   = []string{"改行做", "改行当", "改行去做", "转行做", "转行当", "转行去做", "转行", "改做", "改当", "当上了", "当上", "当了", "当起了", "当", "做起了", "做了", "做上了", "做", "成了", "成为了", "成为", "是做", "是干", "是一名", "是一个", "是个", "是名", "是", "职业是", "工作是", "的工作是", "的职业是"}
)

func isRole(s string) bool {
	if n := runes(s); n < 2 || n > 8 {
		return false
	}
	for _, role := range roles {
		if strings.HasSuffix(s, role) {
			return true
		}
	}
	return false
}

// job reads 我在腾讯上班, 我入职腾讯了, 我当老师了 and 我离职了.
func (r *reader) job(subject string, explicit bool, rest string) bool {
	rest = cutOrigin(rest)
	if _, over := cutAny(rest, jobEnds); over {
		return r.add(subject, Job, "", true)
	}
	if what, ok := cutAny(rest, []string{"不在", "没在"}); ok {
		if at, ok := cutEndAny(what, []string{"上班了", "工作了", "干了", "打工了"}); ok {
			return r.add(subject, Job, value(at, 10), true)
		}
		return false
	}
	if what, ok := cutAny(rest, []string{"不做", "不当", "不干"}); ok {
		what = value(what, 8)
		return isRole(what) && r.add(subject, Job, what, true)
	}
	if at, ok := cutAny(rest, []string{"被"}); ok {
		name, _, ok := strings.Cut(at, "录")
		return ok && strings.Contains(at, "录用") == strings.Contains(at, "用") && r.add(subject, Job, value(name, 10), false)
	}
	if at, ok := cutAny(rest, []string{"拿到了", "拿到", "收到了", "收到"}); ok {
		name, _, ok := strings.Cut(lower(at), "offer")
		return ok && r.add(subject, Job, value(at[:len(name)], 10), false)
	}
	if at, ok := cutAny(rest, []string{"新工作在", "新工作是", "新公司是", "新公司在", "新单位是", "新单位在", "工作在"}); ok {
		return r.add(subject, Job, value(at, 10), false)
	}
	if at, ok := cutAny(rest, []string{"第一天在", "开始在", "要在", "在", "去了", "去", "到了", "到", "来了", "来", "回了", "回"}); ok {
		if r.firm(subject, at) {
			return true
		}
		news := strings.HasPrefix(rest, "去") || strings.HasPrefix(rest, "在") || strings.HasPrefix(rest, "到") || strings.HasPrefix(rest, "来")
		if at = value(at, 8); news && r.aboutJob && at != "" && !isRole(at) && !slices.Contains(cities, at) && !containsAny(at, []string{"找", "路上", "回家", "到家"}) && at != "家" {
			return r.add(subject, Job, at, false)
		}
		return false
	}
	if at, ok := cutAny(rest, joining); ok {
		at = value(cutWork(at), 10)
		if role, before := cutRole(at); before != "" {
			at = before + role
		}
		return at != "" && !strings.Contains(at, "群") && !strings.Contains(at, "医院看") && r.add(subject, Job, at, false)
	}
	role, ok := cutAny(rest, becoming)
	if !ok {
		return false
	}
	role, _ = cutAny(role, []string{"一名", "一个", "个", "名", "起了", "了"})
	role, _ = cutEndAny(role, []string{"去了", "的了"})
	role = value(role, 8)
	direct := explicit || !strings.HasPrefix(rest, "是") && !strings.HasPrefix(rest, "做") && !strings.HasPrefix(rest, "当")
	return direct && isRole(role) && r.add(subject, Job, role, false)
}

// firm reads what follows 在 or 去: 腾讯上班, 腾讯做程序员.
func (r *reader) firm(subject, at string) bool {
	for _, verb := range working {
		if name, after, ok := strings.Cut(at, verb); ok && name != "" {
			if _, more := cutAny(after, []string{"的", "群", "环境"}); more {
				return false
			}
			if name = value(name, 10); name == "" {
				return false
			}
			return r.add(subject, Job, name, false)
		}
	}
	if role, name := cutRole(at); name != "" {
		return r.add(subject, Job, name+role, false)
	}
	return false
}

// cutRole reads 腾讯做程序员.
func cutRole(at string) (role, firm string) {
	for _, verb := range [...]string{"做", "当"} {
		if firm, role, ok := strings.Cut(at, verb); ok && firm != "" {
			if role = value(role, 8); isRole(role) {
				return role, value(firm, 10)
			}
		}
	}
	return "", ""
}

// cutWork removes 上班 and the like from the end of a name.
func cutWork(at string) string {
	for _, verb := range working {
		if name, _, ok := strings.Cut(at, verb); ok && name != "" {
			return name
		}
	}
	return at
}

// cutOrigin removes 从腾讯 before a change.
func cutOrigin(rest string) string {
	after, ok := strings.CutPrefix(rest, "从")
	if !ok {
		return rest
	}
	for _, verb := range [...]string{"搬", "跳槽", "离职", "辞职", "转行", "改行", "抱", "领养", "接", "买", "捡"} {
		if i := strings.Index(after, verb); i > 0 && i < 36 {
			return after[i:]
		}
	}
	return rest
}

var (
	moving  = []string{"搬到了", "搬到", "搬去了", "搬去", "搬来了", "搬来", "搬回了", "搬回", "搬进了", "搬进", "搬家到了", "搬家到", "搬家去了", "搬家去", "定居在", "定居到", "定居", "落户", "移居", "移民到", "移民"}
	dwelt   = []string{"长住", "定居", "安家", "生活", "租房", "租了房", "买了房", "买房", "常驻", "落脚", "住"}
	notHome = []string{"院", "校", "宿舍", "酒店", "宾馆", "一起", "楼", "路上", "家里", "外面", "公司", "学校", "图书馆", "群里"}
)

// place reads 我搬到成都了, 我现在住北京 and 我人在北京.
func (r *reader) place(subject string, explicit bool, rest string) bool {
	rest = cutOrigin(rest)
	if what, ok := cutAny(rest, []string{"不住在", "不住", "不在"}); ok {
		what = value(strings.TrimSuffix(value(what, 10), "住"), 8)
		return isPlace(what) && r.add(subject, Place, what, true)
	}
	if to, ok := cutAny(rest, []string{"新家在", "人在", "搬了家在"}); ok {
		return r.home(subject, to, strings.HasPrefix(rest, "新家"))
	}
	if to, ok := strings.CutPrefix(rest, "搬"); ok {
		to, _ = cutEndAny(value(to, 10), []string{"去住", "来住", "去", "来"})
		if _, more := cutAny(to, []string{"到", "去", "来", "回", "进", "家"}); !more && isPlace(to) {
			return r.add(subject, Place, to, false)
		}
	}
	if to, ok := cutAny(rest, moving); ok {
		to, _ = cutEndAny(value(to, 14), []string{"这边来住", "来住", "去住", "住下", "来", "去", "住"})
		to, _ = cutEndAny(to, []string{"这边", "那边", "去", "来"})
		return r.home(subject, to, true)
	}
	rest, _ = cutAny(rest, []string{"搬家", "的家", "家里", "家", "人"})
	for again := true; again; {
		rest, again = cutAny(rest, []string{"现在", "目前", "已经", "就", "也", "都", "了"})
	}
	at, lives := cutAny(rest, []string{"住在了", "住在", "住到了", "住到", "住进", "住"})
	certain := strings.HasPrefix(rest, "住在") || strings.HasPrefix(rest, "住到")
	if !lives {
		if at, lives = cutAny(rest, []string{"在", "到", "去", "来", "回"}); !lives {
			return false
		}
		if !explicit && !strings.HasPrefix(rest, "在") {
			return false
		}
		here := strings.HasPrefix(rest, "在")
		for _, verb := range dwelt {
			if city, after, ok := strings.Cut(at, verb); ok && city != "" && runes(after) < 3 {
				return r.home(subject, strings.TrimSuffix(city, "这边"), true)
			}
		}
		if !here || !explicit {
			return false
		}
	}
	for _, tail := range [...]string{"这边", "那边", "这里", "附近"} {
		at, _, _ = strings.Cut(at, tail)
	}
	return r.home(subject, at, certain)
}

// home adds a place. If it is not certain, it must be a known one.
func (r *reader) home(subject, at string, certain bool) bool {
	at = value(at, 10)
	if short, ok := cutEndAny(at, dwelt); ok {
		at, certain = value(short, 10), true
	}
	if at == "" || !certain && !isPlace(at) || containsAny(at, notHome) {
		return false
	}
	return r.add(subject, Place, at, false)
}

func isPlace(s string) bool {
	if slices.Contains(cities, s) {
		return true
	}
	_, ok := cutEndAny(s, placeEnds)
	return ok && runes(s) > 2
}

var (
	liking    = []string{"喜欢上了", "喜欢上", "喜欢", "爱上了", "爱上", "爱死了", "爱死", "迷上了", "迷上", "沉迷于", "沉迷", "痴迷", "热爱", "钟爱", "入坑了", "入坑", "爱"}
	disliking = []string{"讨厌", "受不了", "厌恶", "反感", "嫌弃", "恨", "烦"}
	unliking  = []string{"不再喜欢", "不怎么喜欢", "不太喜欢", "不喜欢", "不再爱", "不怎么爱", "不爱", "没那么喜欢"}
)

// likes reads 我喜欢香菜, 我不喜欢香菜了, 我讨厌香菜, and 香菜我不爱了.
func (r *reader) likes(subject string, explicit bool, c, rest string) bool {
	if what, ok := strings.CutPrefix(rest, "对"); ok {
		return r.interest(subject, what)
	}
	if what, ok := cutEndAny(c, []string{"是我的最爱", "是我最爱", "是我的心头好"}); ok {
		return r.add(r.speaker, Likes, likeable(what), false)
	}
	if object, verb, ok := strings.Cut(c, "我"); ok && object != "" && !explicit { // 香菜我不爱了
		return r.objectFirst(object, verb)
	}
	if what, ok := strings.CutPrefix(rest, "是"); ok {
		what, ok = cutEndAny(strings.TrimRight(what, "啊呀哦了"), []string{"的忠实粉丝", "的铁粉", "的死忠粉", "的粉丝", "爱好者", "铁粉"})
		return ok && explicit && r.add(subject, Likes, likeable(what), false)
	}
	if what, ok := cutAny(rest, []string{"戒", "戒掉", "弃坑", "退坑"}); ok && strings.HasSuffix(rest, "了") {
		return r.add(subject, Likes, likeable(what), true)
	}
	plain := rest
	strong := false
	for again := true; again; {
		if rest, again = degrees.cut(rest); again {
			strong = true
		}
	}
	if what, ok := cutAny(rest, unliking); ok {
		v := likeable(what)
		over := strings.HasSuffix(what, "了") || strings.Contains(rest, "不再") || strings.Contains(c, "已经")
		relation := Dislikes
		if over {
			relation = Likes
		}
		return v != "" && r.add(subject, relation, v, over)
	}
	if what, ok := cutAny(rest, disliking); ok {
		v := likeable(what)
		return (explicit || strong) && v != "" && r.add(subject, Dislikes, v, false)
	}
	what, ok := cutAny(rest, liking)
	if !ok {
		return false
	}
	strong = strong || len(c) > len(plain) || !strings.HasPrefix(rest, "爱") && !strings.HasPrefix(rest, "喜欢")
	v := likeable(what)
	return (explicit || strong) && v != "" && r.add(subject, Likes, v, false)
}

// interest reads what follows 对: 香菜没兴趣了.
func (r *reader) interest(subject, what string) bool {
	for _, end := range [...]struct {
		words    []string
		relation Relation
		over     bool
	}{
		{[]string{"没兴趣了", "没有兴趣了", "不感兴趣了", "没感觉了", "腻了"}, Likes, true},
		{[]string{"没兴趣", "没有兴趣", "不感兴趣", "过敏"}, Dislikes, false},
		{[]string{"很感兴趣", "感兴趣", "有兴趣", "上瘾", "着迷", "上头", "爱不释手"}, Likes, false},
	} {
		for _, w := range end.words {
			if object, _, ok := strings.Cut(what, w); ok && object != "" {
				for again := true; again; {
					object, again = cutEndAny(object, []string{"已经", "有点", "实在", "完全", "特别", "非常", "很", "真的", "也", "都"})
				}
				v := likeable(object)
				return v != "" && r.add(subject, end.relation, v, end.over)
			}
		}
	}
	return false
}

// objectFirst reads 香菜 + 不爱了.
func (r *reader) objectFirst(object, verb string) bool {
	v := likeable(object)
	if v == "" {
		return false
	}
	for again := true; again; {
		if verb, again = fillers.cut(verb); !again {
			verb, again = degrees.cut(verb)
		}
	}
	switch verb = strings.TrimRight(verb, "啊呀哦吧的"); verb {
	case "不爱了", "不喜欢了", "不感兴趣了", "没兴趣了", "腻了", "吃腻了", "玩腻了":
		return r.add(r.speaker, Likes, v, true)
	case "受不了", "受不了了", "讨厌", "不喜欢", "不爱":
		return r.add(r.speaker, Dislikes, v, false)
	case "喜欢", "爱", "爱了", "爱死了", "超爱":
		return r.add(r.speaker, Likes, v, false)
	}
	return false
}

// likeable cleans something that one can like.
func likeable(what string) string {
	v := value(what, 12)
	if strings.Contains(v, "的") && runes(v) > 8 || containsAny(v, []string{"自己", "你们", "时候"}) {
		return ""
	}
	return v
}
