package prompt

import (
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/modeljson"
	"github.com/hearth-bot/hearth/persona"
)

// A PeopleUpdate is what a being made of the people in some messages.
type PeopleUpdate struct {
	People []PersonUpdate
	Names  []NicknameUse
}

// A PersonUpdate is somebody who spoke.
type PersonUpdate struct {
	ID         string
	Feeling    string // a word such as "happy"; "" for none
	Stance     int    // −1 against the being, 0, 1 for it
	Impression string // the new one; "" leaves the old
}

// A NicknameUse is that somebody was called something.
type NicknameUse struct {
	ID   string // who is meant
	Name string
	By   string // who called them so; "" not known
	Sure bool
}

// maxImpression is how many runes of an impression are kept.
const maxImpression = 300

// ParsePeopleUpdate reads what a model answered to [UpdatePeople], where it was shown these messages. It takes nobody's word for what
// the messages do not bear out: who spoke is regarded, and no other; who spoke, was mentioned or quoted may have a name;
// and a name is one that somebody other than the being wrote, is not the being's own, and not a word for anybody
// ("大家", "你"). No JSON of that shape is an error that matches [ErrInvalidAnswer].
func ParsePeopleUpdate(p persona.Profile, answer string, shown []persona.Message) (PeopleUpdate, error) {
	var a struct {
		People []struct {
			ID         modeljson.Text `json:"id"`
			Feeling    modeljson.Text `json:"feeling"`
			Stance     modeljson.Text `json:"stance"`
			Impression modeljson.Text `json:"impression"`
		} `json:"people"`
		Names []struct {
			ID   modeljson.Text `json:"id"`
			Name modeljson.Text `json:"name"`
			By   modeljson.Text `json:"by"`
			Sure modeljson.Text `json:"sure"`
		} `json:"names"`
	}
	if _, err := object(answer, &a); err != nil {
		return PeopleUpdate{}, err
	}
	there := presentIn(shown)
	var r PeopleUpdate
	for _, who := range a.People {
		one := PersonUpdate{ID: idOf(who.ID), Feeling: strings.ToLower(strings.TrimSpace(string(who.Feeling))), Impression: clip.Runes(strings.TrimSpace(string(who.Impression)), maxImpression)}
		switch strings.TrimSpace(string(who.Stance)) {
		case "1", "+1":
			one.Stance = 1
		case "-1":
			one.Stance = -1
		}
		same := func(o PersonUpdate) bool { return o.ID == one.ID }
		if there.spoke[one.ID] && !slices.ContainsFunc(r.People, same) {
			r.People = append(r.People, one)
		}
	}
	for _, n := range a.Names {
		one := NicknameUse{ID: idOf(n.ID), Name: strings.TrimSpace(string(n.Name)), By: idOf(n.By), Sure: strings.TrimSpace(string(n.Sure)) == "true"}
		if !there.spoke[one.By] {
			one.By = ""
		}
		if there.known[one.ID] && names(p, one.Name) && wrote(shown, one.By, one.Name) && !slices.Contains(r.Names, one) {
			r.Names = append(r.Names, one)
		}
	}
	return r, nil
}

// names reports whether a word can be somebody's name: not the being's own, and not one for anybody.
func names(p persona.Profile, word string) bool {
	word = strings.TrimSpace(strings.TrimPrefix(word, "@"))
	return word != "" && word != p.Name && !slices.Contains(p.Aliases, word) && !slices.Contains(anybody[:], strings.ToLower(word))
}

// anybody are words that call somebody without naming them.
var anybody = [...]string{
	"你", "您", "我", "他", "她", "它", "你们", "我们", "咱们", "他们", "她们", "大家", "各位", "诸位", "所有人", "全体成员", "有人", "某人", "谁", "自己",
	"群主", "管理员", "管理", "楼上", "楼下", "群友", "朋友", "朋友们", "兄弟", "兄弟们", "同学", "同学们", "主人", "机器人", "bot",
	"you", "he", "she", "they", "we", "i", "me", "all", "everyone", "everybody", "somebody", "someone", "anyone", "guys",
}

// wrote reports whether this person, or anybody where it is "", wrote these words.
func wrote(ms []persona.Message, who, words string) bool {
	return slices.ContainsFunc(ms, func(m persona.Message) bool {
		return !m.Own && (who == "" || m.From == who) && strings.Contains(m.Text, words)
	})
}

// present are the people in some messages.
type present struct {
	spoke map[string]bool
	known map[string]bool // those who were mentioned or quoted, too
}

func presentIn(ms []persona.Message) present {
	p := present{map[string]bool{}, map[string]bool{}}
	own := map[string]bool{"": true}
	for i := range ms {
		m := &ms[i]
		if m.Own {
			own[m.From] = true
			continue
		}
		p.spoke[m.From], p.known[m.From] = true, true
		for _, id := range m.Mentions {
			p.known[id] = true
		}
		if m.Quote != nil && !m.Quote.Own {
			p.known[m.Quote.From] = true
		}
	}
	for id := range own {
		delete(p.spoke, id)
		delete(p.known, id)
	}
	return p
}
