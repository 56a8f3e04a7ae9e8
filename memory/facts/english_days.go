package facts

import (
	"slices"
	"strconv"
	"strings"
)

// englishBirthday reads a day of the year and a word for a birthday.
func (r *englishReader) englishBirthday(text string) {
	all := r.whole
	if _, w, _ := enBirth.find(all); w == "" {
		return
	}
	month, day := 0, 0
	words := strings.FieldsFunc(all, func(c rune) bool { return strings.ContainsRune(" ,'.!:()-/\"~", c) })
	for i, w := range words {
		if len(w) < 3 || month != 0 || !isMonth(strings.TrimRight(w, "?")) {
			continue
		}
		for _, j := range [...]int{i + 1, i - 1, i - 2, i + 2} {
			if j < 0 || j >= len(words) || day != 0 || j == i-2 && words[i-1] != "of" || j == i+2 && words[i+1] != "the" {
				continue
			}
			if strings.HasSuffix(words[j], "?") || strings.HasSuffix(w, "?") {
				return // it asks
			}
			if n, err := strconv.Atoi(strings.TrimRight(words[j], "stndrh")); err == nil && n >= 1 && n <= 31 {
				month, day = 1+slices.Index(englishMonths, w[:3]), n
			}
		}
	}
	if month == 0 || day == 0 || enBirthAsks.begin(all) && !strings.Contains(all, "mine") {
		return
	}
	s := r.newSentence(text)
	if before, _, _ := enBirth.find(all); strings.HasSuffix(before, "'s ") && !enOwnDay.in(all) && !slices.ContainsFunc(s.all, func(m enMention) bool { return m.end == len(before)-len("'s ") }) {
		return // grandma's birthday
	}
	subject := r.speaker
	mine := enMyself.in(all)
	for _, m := range s.all {
		if m.id != r.speaker && m.id != "" && !mine {
			subject = m.id
			break
		}
	}
	if before, w, after := enMine.find(all); w != "" && enKin.begin(enKinAdjectives.cutAll(after)) && before == "" {
		return
	}
	r.add(subject, Birthday, strconv.Itoa(month)+"月"+strconv.Itoa(day)+"日", false)
}

var (
	enBirth     = setOf("|birthday|birthdays|bday|bdays|b-day|born|cake day|year older|years older|year wiser|another year|i turn|im turning|turning|turns|birthdate|birth date|birth day|date of birth|dob|day of birth|the big|i age|level up|leveling up|came into this world|entered the world|arrived in this world|birthday-wise|-happy birthday|-reborn|-stubborn")
	enBirthAsks = setOf("|is your|is ur|whose birthday|who else|anyone|does anyone|who has|who was born|happy")
	enOwnDay    = setOf("|mine|i was|i turn|im turning|i am turning|born on")
	enMyself    = setOf(" my mine i im me")
)

func isMonth(w string) bool {
	if len(w) < 3 {
		return false
	}
	i := slices.Index(englishMonths, w[:3])
	if i < 0 {
		return false
	}
	full := [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}[i]
	return strings.HasPrefix(full, w) || w == "sept"
}

var englishMonths = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
