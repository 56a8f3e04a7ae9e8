package facts

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory/facts/internal/statement"
	"github.com/hearth-bot/hearth/memory/internal/groupchat"
)

func index(english bool) int {
	if english {
		return 1
	}
	return 0
}

// A learner makes examples of phrasings.
type learner struct {
	rng      *rand.Rand
	english  bool
	source   int
	quiet    [2][]string // everyday messages in Chinese and English
	names    Names
	people   []string          // their names
	last     map[string]string // value of the last example of a kind
	before   []told            // some statements by people about themselves
	examples []statement.Example
}

// A told is a statement in a text.
type told struct {
	text   string
	form   form
	values []string
}

// relationOf maps the generator's names.
var relationOf = map[string]Relation{
	"birthday": Birthday, "job": Job, "place": Place, "like": Likes, "dislike": Dislikes, "pet": Pet, "plan": Plan, "partner": Partner, "roommate": Roommate, "alias": Alias,
}

// fills is the number of messages that are made of a phrasing.
const fills = 4

// teach adds the examples of a set.
func (l *learner) teach(set *groupchat.Phrasings) {
	samples, people := groupchat.Samples(groupchat.Options{Seed: l.rng.Uint64(), Phrasings: set, English: l.english, People: 20}, fills)
	l.before = l.before[:0]
	l.names, l.people = Names{}, slices.Sorted(maps.Values(people))
	for id, name := range people {
		l.names.Learn(id, name)
	}
	for i := range samples {
		s := &samples[i]
		relation, suffix, _ := strings.Cut(strings.TrimPrefix(s.Kind, "en."), ".")
		f := form{relation: relationOf[relation], ends: suffix == "end", other: suffix == "other"}
		e := l.add(s.Record.Text, &l.names, s.Subject, f, s.Values)
		switch {
		case relation == "taken_back":
			e.Kinds = []string{form{}.String()}
		case f.other && l.rng.IntN(3) == 0: // a name that nobody has
			l.add(s.Record.Text, nil, "", f, s.Values)
		case f.relation != "" && !f.other:
			l.vary(s, f)
		}
		if f.relation != "" && l.rng.IntN(6) == 0 {
			l.doubt(s.Record.Text, f)
		}
		if f.relation != "" && l.rng.IntN(6) == 0 {
			l.add(s.Record.Text+pick(l.rng, l.particles()), &l.names, s.Subject, f, s.Values)
		}
		if len(s.Values) == 1 {
			l.last[s.Kind] = s.Values[0]
		}
	}
}

// add adds an example. subject is the person whom it is about, if it has a name there.
func (l *learner) add(text string, names *Names, subject string, f form, values []string) *statement.Example {
	r := newReading(Message{Text: text}, names)
	e := statement.Example{Tokens: r.tokens, Weight: 1, Source: l.source}
	if f.relation != "" {
		e.Kinds = []string{f.String()}
	}
	if f.hasValue() {
		e.Values = append(e.Values, r.find(f, values...)...)
	}
	if f.other && subject != "" {
		e.Values = append(e.Values, r.findSubject(names.Of(subject))...)
	}
	l.examples = append(l.examples, e)
	return &l.examples[len(l.examples)-1]
}

// find returns the value that is the first of some texts that the message has.
func (r *reading) find(f form, texts ...string) []statement.Value {
	for _, text := range texts {
		at := strings.LastIndex(r.Text, text)
		if at < 0 || text == "" {
			continue
		}
		i := slices.IndexFunc(r.tokens, func(t statement.Token) bool { return int(t.Begin) == at })
		j := slices.IndexFunc(r.tokens, func(t statement.Token) bool { return int(t.End) == at+len(text) })
		if i >= 0 && j >= i {
			return []statement.Value{{Sort: f.sort(), Kind: f.String(), Span: statement.Span{Begin: i, End: j + 1}}}
		}
	}
	return nil
}

// findSubject returns the value that is the person whom a statement is about.
func (r *reading) findSubject(name string) []statement.Value {
	found := r.find(form{}, name)
	for i := range found {
		found[i].Sort, found[i].Kind = subjectSort, ""
	}
	return found
}

// vary adds variants of a statement by a person about himself.
func (l *learner) vary(s *groupchat.Sample, f form) {
	text, name := s.Record.Text, pick(l.rng, l.people)
	if after, ok := strings.CutPrefix(text, "我"); ok && !strings.ContainsAny(firstRune(after), "家的们和跟同与俩这那屋自") && l.rng.IntN(2) == 0 {
		l.add(pick(l.rng, strangers)+after, &l.names, "", form{}, nil)
	}
	switch l.rng.IntN(5) {
	case 0: // by somebody else
		if about, ok := replaceSelf(text, name); ok {
			f.other = true
			l.add(about, &l.names, l.names.Meant(name), f, s.Values)
		}
	case 1: // beside a message that says nothing
		quiet, mark := pick(l.rng, l.quiet[index(l.english)]), pick(l.rng, l.marks())
		if l.rng.IntN(2) == 0 {
			quiet, text = text, quiet
		}
		l.add(quiet+mark+text, &l.names, "", f, s.Values)
	case 2: // to somebody
		if !strings.Contains(text, name) {
			l.add(pick(l.rng, []string{"@", ""})+name+" "+text, &l.names, "", f, s.Values)
		}
	case 3: // with another value
		other := l.last[s.Kind]
		if other == "" || len(s.Values) != 1 || other == s.Values[0] || strings.Count(text, s.Values[0]) != 1 {
			return
		}
		switch f.relation {
		case Likes, Dislikes, Pet:
			l.add(strings.Replace(text, s.Values[0], s.Values[0]+l.and(f)+other, 1), &l.names, "", f, s.Values)
		}
	case 4: // beside another statement
		one := told{text, f, s.Values}
		if len(l.before) < 50 {
			l.before = append(l.before, one)
			return
		}
		i := l.rng.IntN(len(l.before))
		other := l.before[i]
		l.before[i] = one
		if other.form.relation != f.relation && other.form.relation != opposite(f.relation) {
			l.addBoth(other, one)
		}
	}
}

// addBoth adds an example with two statements.
func (l *learner) addBoth(a, b told) {
	text := a.text + pick(l.rng, l.marks()) + b.text
	e := l.add(text, &l.names, "", a.form, a.values)
	e.Kinds = append(e.Kinds, b.form.String())
	if b.form.hasValue() {
		e.Values = append(e.Values, newReading(Message{Text: text}, &l.names).find(b.form, b.values...)...)
	}
}

// doubt adds a statement that its author does not mean, or asks about.
func (l *learner) doubt(text string, f form) {
	before, after := "", pick(l.rng, strings.Fields("[狗头] [doge] [狗头保命] ，开玩笑的 ，骗你们的 ，才怪 ，做梦的 ，梦里的 ，逗你们玩的 （不是 (bushi ，假的哈哈 ，想得美 ，吹牛的 ，瞎说的 ，你信吗 ，纯属虚构"))
	switch {
	case l.english && l.rng.IntN(3) == 0:
		before, after = pick(l.rng, []string{"I wish ", "if ", "imagine ", "in my dreams ", "pretend "}), ""
	case l.english:
		after = pick(l.rng, []string{" jk", " just kidding", " lol jk", " /s", " in my dreams", " in minecraft", ". Kidding!", " (not really)", ", i wish", " haha no", " in the sims"})
	case f.other && l.rng.IntN(2) == 0:
		after = pick(l.rng, strings.Fields("吗 吗？ ？ ，真的假的 ，真的吗？ 没 吧？ ，谁说的 不 了没"))
	case l.rng.IntN(3) == 0:
		before, after = pick(l.rng, strings.Fields("要是 如果 假如 梦见 要不是 等我有钱了 万一 谁说 何时才能")), pick(l.rng, strings.Fields("就好了 就好了哈哈 该多好 ，现在早发财了 ，我就请客 ，会怎样"))
	}
	l.add(before+text+after, &l.names, "", form{}, nil)
}

// particles returns what people add to a sentence.
func (l *learner) particles() []string {
	if l.english {
		return []string{" lol", " tbh", " now", " btw", " haha", " :)", "!!", " fyi", " guys"}
	}
	return []string{"吧", "呀", "啊", "呢", "哈", "哦", "嘛", "了", "啦", "哈哈", "[捂脸]", "！！", "～", "呜呜", "滴"}
}

// marks returns what stands between two clauses.
func (l *learner) marks() []string {
	if l.english {
		return []string{", ", ". ", " and ", "! ", "\n"}
	}
	return []string{"，", " ", "。", "\n"}
}

// and returns what stands between two values.
func (l *learner) and(f form) string {
	switch {
	case !l.english:
		return pick(l.rng, []string{"和", "、", "跟"})
	case f.relation == Pet:
		return " and a "
	}
	return " and "
}

// replaceSelf replaces the word for the author by a name.
func replaceSelf(text, name string) (string, bool) {
	for _, self := range [...]string{"我", "俺", "咱", "本人"} {
		if strings.Count(text, self) == 1 && !strings.Contains(text, self+"们") && !strings.Contains(text, name) {
			return strings.Replace(text, self, name, 1), true
		}
	}
	return "", false
}

func firstRune(s string) string {
	for _, c := range s {
		return string(c)
	}
	return ""
}

func pick[T any](rng *rand.Rand, all []T) T { return all[rng.IntN(len(all))] }

// strangers are people who are not in the chat. What is said of them says nothing about its people.
var strangers = strings.Fields("我妈 我爸 我哥 我姐 我弟 我妹 我表哥 我表姐 我表弟 我表妹 我堂哥 我堂姐 我堂弟 我堂妹 我侄子 我侄女 我外甥 我外甥女 我舅 我舅舅 我姑 我姑姑 我姨 我小姨 我叔 我叔叔 我婶 " +
	"我爷爷 我奶奶 我外公 我外婆 我姥姥 我姥爷 我老公 我老婆 我媳妇 我儿子 我女儿 我闺女 我家孩子 我公公 我婆婆 我岳父 我岳母 我姐夫 我嫂子 我弟媳 我妹夫 我同事 我同学 我同桌 我室友 我舍友 我朋友 我闺蜜 我发小 " +
	"我哥们 我兄弟 我邻居 我老板 我领导 我师父 我徒弟 我老师 我导师 我学长 我学姐 我学弟 我学妹 我前任 我前同事 我网友 我房东 我老乡 我战友 我亲戚 他 她 你 您 他们 她们 你们 人家 别人 有人 楼上 楼下 隔壁 隔壁老王 " +
	"老板 领导 老师 主播 我爱豆 女主 男主 我一个朋友 我有个朋友 我有个同事 我认识的一个人 我们老板 我们班长 我们经理 我们主任")
