package heartflow

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// topicTerms is how many terms of a text count.
const topicTerms = 64

// common are the pairs and words that say nothing of a topic.
const common = " 什么 怎么 这个 那个 一个 可以 我们 你们 他们 不是 没有 就是 还是 但是 因为 所以 如果 现在 今天 知道 觉得 这样 那样 已经 一下 时候 " +
	"that this with what have they your from just like will would there about when then than them were been could should "

// terms appends the hashes of what text is about, each once and sorted: pairs of neighbouring Han characters, and
// other words of four letters or more.
func terms(dst []uint32, text string) []uint32 {
	var scratch [512]byte
	buf := fold(scratch[:0], clip(text, 2048))
	start := 0      // of the Latin word that i is in
	han, at := 0, 0 // length and beginning of the Han character before i
	for i := 0; i <= len(buf) && len(dst) < topicTerms; {
		r, n := utf8.DecodeRune(buf[i:])
		if !spaced(r) || n == 0 {
			if i-start >= 4 {
				dst = appendTerm(dst, buf[start:i])
			}
			start = i + max(n, 1)
		}
		switch ideograph := r >= 0x3400 && r <= 0x9fff; {
		case ideograph && han > 0:
			dst = appendTerm(dst, buf[at:i+n])
			fallthrough
		case ideograph:
			han, at = n, i
		default:
			han = 0
		}
		i += max(n, 1)
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

func appendTerm(dst []uint32, t []byte) []uint32 {
	if i := strings.Index(common, string(t)); i > 0 && common[i-1] == ' ' && common[i+len(t)] == ' ' {
		return dst
	}
	h := uint32(2166136261)
	for _, c := range t {
		h = (h ^ uint32(c)) * 16777619
	}
	return append(dst, h)
}

// shared counts the terms of text that the topic has. The topic is sorted.
func shared(text string, topic []uint32) (n int) {
	if len(topic) == 0 {
		return 0
	}
	var scratch [topicTerms]uint32
	for _, t := range terms(scratch[:0], text) {
		if _, ok := slices.BinarySearch(topic, t); ok {
			n++
		}
	}
	return n
}
