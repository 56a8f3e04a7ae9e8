package fold

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

// MaxTerms is how many terms of a text count.
const MaxTerms = 64

// common are the pairs and words that say nothing of a topic.
const common = " 什么 怎么 这个 那个 一个 可以 我们 你们 他们 不是 没有 就是 还是 但是 因为 所以 如果 现在 今天 知道 觉得 这样 那样 已经 一下 时候 " +
	"that this with what have they your from just like will would there about when then than them were been could should "

// Terms appends the hashes of what text is about, each once and sorted, at most [MaxTerms]: pairs of neighbouring Han characters, and
// other words of four letters or more.
func Terms(dst []uint32, text string) []uint32 {
	var scratch [512]byte
	w := termWalk{buf: Append(scratch[:0], clip.Bytes(text, 2048))}
	for len(dst) < MaxTerms {
		t, ok := w.next()
		if !ok {
			break
		}
		if i := strings.Index(common, string(t)); i <= 0 || common[i-1] != ' ' || common[i+len(t)] != ' ' {
			dst = append(dst, Hash(t))
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// Shared counts the terms of text that any of the topics has, each once, four at most. The topics are of terms: what is
// common is in none, so here it need not be told apart.
func Shared(text string, topics ...[]uint32) (n int) {
	if !slices.ContainsFunc(topics, func(t []uint32) bool { return len(t) > 0 }) {
		return 0
	}
	var found [4]uint32
	var scratch [512]byte
	w := termWalk{buf: Append(scratch[:0], clip.Bytes(text, 2048))}
	for n < len(found) {
		t, ok := w.next()
		if !ok {
			break
		}
		h := Hash(t)
		for _, topic := range topics {
			if _, ok := slices.BinarySearch(topic, h); ok && !slices.Contains(found[:n], h) {
				found[n] = h
				n++
				break
			}
		}
	}
	return n
}

// A termWalk goes through the terms of a folded text, common ones too.
type termWalk struct {
	buf     []byte
	i       int // what comes next
	word    int // the Latin word that i is in begins here
	han, at int // length and beginning of the Han character before i
}

func (w *termWalk) next() (term []byte, ok bool) {
	for w.i <= len(w.buf) {
		r, n := utf8.DecodeRune(w.buf[w.i:])
		step := max(n, 1)
		i := w.i
		w.i += step
		if ideograph := r >= 0x3400 && r <= 0x9fff; ideograph {
			pair, at := w.han > 0, w.at
			w.han, w.at = n, i
			if pair {
				w.word = w.i
				return w.buf[at:w.i], true
			}
		} else {
			w.han = 0
		}
		if !Spaced(r) || n == 0 {
			word := w.word
			w.word = w.i
			if i-word >= 4 {
				return w.buf[word:i], true
			}
		}
	}
	return nil, false
}
