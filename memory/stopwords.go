package memory

import "strings"

// isParticle reports whether a Han character is a particle. Particles are not indexed alone, only in pairs.
func isParticle(r rune) bool { return strings.ContainsRune(particles, r) }

const particles = "的了吗呢吧啊呀哦嗯哈嘛么着过地得之与和及就也都很"

// questionWord returns the length of the Chinese question word at the start of a text, or 0. Such words are not indexed: who asks
// 什么 does not search for texts with 什么.
func questionWord(text []rune) int {
	switch text[0] {
	case '什', '为', '怎', '如', '哪', '谁', '多', '何', '有', '是': // with these they begin
	default:
		return 0
	}
	for n := min(4, len(text)); n > 0; n-- {
		if strings.Contains(questionWords, " "+string(text[:n])+" ") {
			return n
		}
	}
	return 0
}

const questionWords = " 什么 什么时候 什么地方 什么样 为什么 怎么 怎么样 怎样 如何 哪 哪个 哪些 哪里 哪儿 哪一 谁 多少 为何 何时 有没有 是不是 "

// isStopWord reports whether an English word is too common to search for.
func isStopWord(w []rune) bool {
	var buf [12]byte
	if len(w) > len(buf)-2 {
		return false
	}
	b := append(buf[:0], ' ')
	for _, r := range w {
		if r > 'z' {
			return false
		}
		b = append(b, byte(r))
	}
	return strings.Contains(stopWords, string(append(b, ' ')))
}

const stopWords = " a about after again all also am an and any are as at be because been before being but by can could" +
	" d did do does doing don for from further had has have having he her here hers him his how i if in into is it its itself just" +
	" ll m me more most my no nor not now of off on once only or other our out over own re s same she should so some such t than that" +
	" the their them then there these they this those through to too under until up ve very was we were what when where which" +
	" while who whom why will with would you your yours "
