package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tail returns what follows a cue, in the case of the text.
func (s *sentence) tail(after string) string {
	return strings.TrimLeft(s.text[len(s.text)-len(after):], " :=\"")
}

// value returns the value that follows a cue, in the case of the text.
func (s *sentence) value(after string) string {
	text := s.tail(after)
	for again := true; again; {
		text, again = cutLower(text, "a good ", "some good ", "a ", "an ", "some ", "my ", "our ", "all things ", "all the ", "anything ", "more than ", "nothing more than ", "this whole ", "the whole ", "that whole ", "all of the ")
	}
	low := lowerASCII(text)
	if before, w, _ := enStops.find(low); w != "" && before != "" {
		text = text[:len(before)]
	}
	text = cutTime(text)
	if rest, ok := cutFold(text, "the "); ok || rest != text {
		if thing := enThings.ends(lowerASCII(rest)); thing != "" && len(thing) < len(rest) {
			text = strings.TrimSpace(rest[:len(rest)-len(thing)])
		}
	}
	for _, thing := range [...]string{" thing", " stuff"} {
		if v, ok := strings.CutSuffix(text, thing); ok && v != "" && !strings.Contains(v, " ") {
			text = v
		}
	}
	return englishValue(text)
}

// enThings follow a value: the chess thing.
var enThings = setOf("| thing| things| stuff| scene| craze| hobby| hype| train| bandwagon| life| phase| wagon| game| habit| obsession| addiction| kick| fixation| fever| world| community")

// englishValue cleans a value.
func englishValue(v string) string {
	v = strings.Trim(v, " .!~*\"'-")
	for again := true; again; {
		low := lowerASCII(v)
		w := enTails.ends(low)
		if again = w != "" && len(w) < len(v) && v[len(v)-len(w)-1] == ' '; again {
			v = strings.TrimRight(v[:len(v)-len(w)], " -.")
		}
	}
	if v == "" || len(strings.Fields(v)) > 6 {
		return ""
	}
	if w, _ := noEnValue.begins(lowerASCII(v)); w != "" {
		return ""
	}
	return v
}

var noEnValue = setOf(" his their is are was it that this these those you u him her them how when what to i me my your if there here like being not in on at everyone people someone anyone everything nothing something stuff one the same so because and or work doing getting going where who why which whatever anything im ive its")

// cutTime removes a time from the end of a text: in March, by the end of next year.
func cutTime(text string) string {
	low := lowerASCII(text)
	for at := 0; ; {
		before, w, after := enTimePrepositions.find(low[at:])
		if w == "" {
			return text
		}
		at += len(before)
		if rest := enTimes.cutAll(strings.TrimLeft(after, " ")); strings.Trim(rest, " .!0123456789") == "" && at > 0 && strings.TrimSpace(after) != "" {
			return strings.TrimSpace(text[:at])
		}
		at += len(w)
	}
}

var (
	enTimePrepositions = setOf(" in by this next during over come around sometime before until on within for throughout through at")
	enTimes            = setOf("|the|a|an|of|end|start|beginning|middle|early|late|mid|coming|couple|few|two|three|four|five|six|ten|next|last|or|so|new|half|first|second|past|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|summer|winter|spring|fall|autumn|holidays|holiday|christmas|easter|thanksgiving|halloween|new year|new years|break|semester|term|quarter|decade|year|years|month|months|week|weeks|weekend|day|days|hour|hours|morning|evening|night|moment|latest|long|while|now|lockdown|pandemic|quarantine|my|our|birthday|school|college|uni|this|years end|end of year|retirement|lunch|breaks|free time|spare time|meantime")
)

// cutFold removes the first of these prefixes, in any case.
func cutFold(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) {
			return strings.TrimLeft(s[len(p):], " "), true
		}
	}
	return s, false
}

// cutLower removes the first of these prefixes, not with a capital: New York.
func cutLower(s string, prefixes ...string) (string, bool) {
	rest, ok := cutAny(s, prefixes)
	return strings.TrimLeft(rest, " "), ok
}

// isName reports whether a text begins with a word that has a capital letter: Tesco, eBay, 3M.
func isName(v string) bool {
	word, _, _ := strings.Cut(v, " ")
	first, size := utf8.DecodeRuneInString(word)
	if unicode.IsUpper(first) {
		return true
	}
	if size == 0 || size >= len(word) {
		return false
	}
	second, _ := utf8.DecodeRuneInString(word[size:])
	return unicode.IsUpper(second) && (unicode.IsLower(first) || unicode.IsDigit(first)) || unicode.IsDigit(first) && second == '-' && strings.ToLower(word) != word
}

// properName returns the capitalized words at the start of a text, such as Salt Lake City.
func properName(text string) string {
	end, words := 0, 0
	for at := 0; at < len(text); {
		stop := strings.IndexByte(text[at:], ' ')
		if stop < 0 {
			stop = len(text) - at
		}
		word := text[at : at+stop]
		bare := strings.Trim(lowerASCII(word), ".\"~*'")
		switch {
		case isName(word) && !enNoName.is(bare):
			end, words = at+stop, words+1
		case words == 0 || !enNameLinks.is(bare):
			return strings.Trim(text[:end], " .\"~*'")
		}
		at += stop + 1
	}
	return strings.Trim(text[:end], " .\"~*'")
}

var (
	enNameLinks = setOf(" of the and & de del la le los las upon am du da do der den von")
	// enNoName words are no part of a name, also with a capital.
	enNoName = setOf("|i|im|ive|ill|id|its|it|we|were|weve|my|our|now|today|yesterday|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|lol|lmao|haha|omg|tbh|ngl|fr|btw|and|which|where|who|with|since|because|but|so|this|that|please|any|anyone|am|pm|yes|no|yay|wish|send|next|last|these|those|then|they|he|she|you|your|there|here|what|when|how|just|really|anymore|already|again|finally|rn|irl|xd|is|are|was")
)

// leftName returns the name at the end of a text, such as Tesco in "so Tesco", or what has an article there.
func leftName(text string) string {
	text = strings.TrimSpace(text)
	at := 0
	for {
		if name := properName(text[at:]); name != "" && strings.Trim(text[at+len(name):], " .'") == "" {
			low := lowerASCII(name)
			if first, rest, ok := strings.Cut(name, " "); ok && enOpeners.is(low[:len(first)]) {
				name = rest // So Tesco
			}
			return name
		}
		i := strings.IndexByte(text[at:], ' ')
		if i < 0 {
			break
		}
		at += i + 1
	}
	if i := strings.LastIndex(" "+lowerASCII(text), " the "); i >= 0 && len(strings.Fields(text[i:])) < 5 {
		return text[i:]
	}
	return ""
}

// enOpeners words only begin a sentence.
var enOpeners = setOf(" so and now then well ok okay yes yeah finally today yesterday apparently guess news update yay wow honestly oh sorry btw also just but because since hey hi lol hello bye goodbye im ive my our thanks congrats seems looks turns word rumor")

// enBigName words may begin a name: New Orleans, Super Mario.
var enBigName = setOf(" new super big great back up all my living the")

// leftValue returns the value before a cue.
func (s *sentence) leftValue(before string) string {
	text := strings.TrimSpace(s.text[:len(before)])
	for {
		w, _ := enLeads.begins(lowerASCII(text))
		if w == "" || len(w) >= len(text) || text[len(w)] != ' ' || enBigName.is(w) && isName(text) && isName(text[len(w)+1:]) {
			break
		}
		text = strings.TrimLeft(text[len(w):], " ")
	}
	for again := true; again; {
		text, again = cutEndAny(text, []string{" just", " really", " honestly", " kinda", " simply", " now", " totally", " always", " is", " has", " also", " literally", " officially", " still", " lowkey", " easily", " truly", " kind of", " sort of", " definitely", " all", " has just", " thing", " stuff", " and i", " and me", " are", " have"})
	}
	v := englishValue(text)
	low := lowerASCII(v)
	if enLeads.is(low) || len(strings.Fields(v)) > 4 || noHobby.in(low) || enPersons.begin(low) {
		return ""
	}
	return v
}
