package fold

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

// MaxTerms is the maximum number of terms of a text.
const MaxTerms = 64

// common holds pairs and words without a topic.
const common = " 什么 怎么 这个 那个 一个 可以 我们 你们 他们 不是 没有 就是 还是 但是 因为 所以 如果 现在 今天 知道 觉得 这样 那样 已经 一下 时候 " +
	"that this with what have they your from just like will would there about when then than them were been could should "

// Terms appends the hashes of the terms of text, sorted and without duplicates, at most [MaxTerms]. A term is a pair
// of adjacent Han characters, or another word of four letters or more. Common words are omitted.
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

// Shared counts the terms of text that occur in any of the topics, without duplicates and up to four. Topics come
// from Terms, so they contain no common words.
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

// A termWalk iterates over the terms of a folded text, including common ones.
type termWalk struct {
	buf     []byte
	i       int // next position
	word    int // start of the Latin word around i
	han, at int // length and start of the Han character before i
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
