package prompt

import (
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/modeljson"
	"github.com/hearth-bot/hearth/persona"
)

// A PeopleUpdate is the model's new view of the people in some messages.
type PeopleUpdate struct {
	People []PersonUpdate
	Names  []NicknameUse
}

// A PersonUpdate is the new view of one sender.
type PersonUpdate struct {
	ID         string
	Feeling    string // a word such as "happy"; "" for none
	Stance     int    // −1 against the bot, 1 for it, 0 neutral
	Impression string // "" keeps the old impression
}

// A NicknameUse reports that a person was called by a nickname.
type NicknameUse struct {
	ID   string // the person with the nickname
	Name string
	By   string // the person who used it; "" if unknown
	Sure bool   // the model is sure about ID
}

// maxImpression is the maximum length of an impression in runes.
const maxImpression = 300

// ParsePeopleUpdate parses the answer to [UpdatePeople]. shown are the messages that the model saw. Results that they
// do not support are dropped. A PersonUpdate needs a sender of shown. A nickname needs a person who sent a message, was
// mentioned or was quoted. Another person must have written the nickname. It must not be a name of the bot or a general
// word such as "大家" or "你". An answer of another form is an error that matches [ErrInvalidAnswer].
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
	if err := decodeObject(answer, &a, modeljson.Options{Keys: []string{"people", "names"}, Messages: Texts(shown)}); err != nil {
		return PeopleUpdate{}, err
	}
	there := participantsOf(shown)
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
		if there.senders[one.ID] && !slices.ContainsFunc(r.People, same) {
			r.People = append(r.People, one)
		}
	}
	for _, n := range a.Names {
		one := NicknameUse{ID: idOf(n.ID), Name: strings.TrimSpace(string(n.Name)), By: idOf(n.By), Sure: strings.TrimSpace(string(n.Sure)) == "true"}
		if !there.senders[one.By] {
			one.By = ""
		}
		if there.known[one.ID] && isNickname(p, one.Name) && wrote(shown, one.By, one.Name) && !slices.Contains(r.Names, one) {
			r.Names = append(r.Names, one)
		}
	}
	return r, nil
}

// isNickname reports whether a word can be a nickname: it is neither a name of the bot nor a general word.
func isNickname(p persona.Profile, word string) bool {
	word = strings.TrimSpace(strings.TrimPrefix(word, "@"))
	return word != "" && word != p.Name && !slices.Contains(p.Aliases, word) && !slices.Contains(genericNames[:], strings.ToLower(word))
}

// genericNames has words that address people without naming them.
var genericNames = [...]string{
	"你", "您", "我", "他", "她", "它", "你们", "我们", "咱们", "他们", "她们", "大家", "各位", "诸位", "所有人", "全体成员", "有人", "某人", "谁", "自己",
	"群主", "管理员", "管理", "楼上", "楼下", "群友", "朋友", "朋友们", "兄弟", "兄弟们", "同学", "同学们", "主人", "机器人", "bot",
	"you", "he", "she", "they", "we", "i", "me", "all", "everyone", "everybody", "somebody", "someone", "anyone", "guys",
}

// wrote reports whether this person wrote these words. An empty id matches all people.
func wrote(ms []persona.Message, who, words string) bool {
	return slices.ContainsFunc(ms, func(m persona.Message) bool {
		return !m.Own && (who == "" || m.From == who) && strings.Contains(m.Text, words)
	})
}

// participants has the people in some messages.
type participants struct {
	senders map[string]bool
	known   map[string]bool // senders, mentioned and quoted people
}

func participantsOf(ms []persona.Message) participants {
	p := participants{map[string]bool{}, map[string]bool{}}
	own := map[string]bool{"": true}
	for i := range ms {
		m := &ms[i]
		if m.Own {
			own[m.From] = true
			continue
		}
		p.senders[m.From], p.known[m.From] = true, true
		for _, id := range m.Mentions {
			p.known[id] = true
		}
		if m.Quote != nil && !m.Quote.Own {
			p.known[m.Quote.From] = true
		}
	}
	for id := range own {
		delete(p.senders, id)
		delete(p.known, id)
	}
	return p
}
