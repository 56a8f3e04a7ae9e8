package redact_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/redact"
)

var update = flag.Bool("update", false, "rewrite the files under testdata")

const chatLines = 2000

// TestRedact_OrdinaryChat: 2 000 lines of chat with many numbers and no private data give no findings.
func TestRedact_OrdinaryChat(t *testing.T) {
	made, used := ordinaryChat(t)
	if *update {
		require.NoError(t, os.WriteFile("testdata/chat.txt", []byte(made), 0o644))
	}
	chat, err := os.ReadFile("testdata/chat.txt")
	require.NoError(t, err)
	require.Equal(t, made, string(chat), "testdata/chat.txt differs from the templates: run with -update")
	require.GreaterOrEqual(t, used, 400)

	var r redact.Redactor
	lines := bytes.Split(bytes.TrimSuffix(chat, []byte("\n")), []byte("\n"))
	require.Len(t, lines, chatLines)
	hits := map[redact.Kind]int{}
	for _, line := range lines {
		for _, f := range r.Find(string(line)) {
			hits[f.Kind]++
			t.Errorf("%s %q in %q", f.Kind, line[f.Start:f.End], line)
		}
	}
	for _, k := range redact.Kinds() {
		t.Logf("%-14s %d hits in %d ordinary lines", k, hits[k], chatLines)
	}
}

// ordinaryChat fills each template at least three times. It returns the number of templates.
func ordinaryChat(t *testing.T) (text string, templates int) {
	t.Helper()
	file, err := os.ReadFile("testdata/templates.txt")
	require.NoError(t, err)
	var all []string
	seen := map[string]bool{}
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		require.False(t, seen[line], "%q is there twice", line)
		seen[line] = true
		all = append(all, line)
	}
	c := chatter{rand.New(rand.NewPCG(6, 2000))}
	var b strings.Builder
	for n := 0; n < chatLines; {
		for _, i := range c.Perm(len(all)) {
			if n == chatLines {
				break
			}
			b.WriteString(c.fill(t, all[i]))
			b.WriteByte('\n')
			n++
		}
	}
	return b.String(), len(all)
}

// A chatter generates values that occur in ordinary messages.
type chatter struct{ *rand.Rand }

func (c chatter) fill(t *testing.T, template string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(template, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		slot, after, ok := strings.Cut(rest, "}")
		require.True(t, ok, "an open slot in %q", template)
		b.WriteString(c.slot(t, slot))
		template = after
	}
}

func (c chatter) from(low, high int) int { return low + c.IntN(high-low+1) }

func (c chatter) one(of ...string) string { return of[c.IntN(len(of))] }

// digits returns n random digits without a leading 0.
func (c chatter) digits(n int) string {
	b := []byte{byte('1' + c.IntN(9))}
	for len(b) < n {
		b = append(b, byte('0'+c.IntN(10)))
	}
	return string(b)
}

func (c chatter) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(c.Uint32())
	}
	return hex.EncodeToString(b)[:n]
}

func (c chatter) text(n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[c.IntN(len(alphabet))]
	}
	return string(b)
}

func (c chatter) day() (year, month, day int) {
	return c.from(2015, 2026), c.from(1, 12), c.from(1, 28)
}

func (c chatter) slot(t *testing.T, name string) string {
	f := fmt.Sprintf
	switch y, m, d := c.day(); name {
	case "temp":
		return f("%d", c.from(-12, 41))
	case "emoji":
		return c.one("😂", "🤣", "😭", "👍", "❤️", "🙏", "🔥", "😅", "🎉", "👨‍👩‍👧", "1️⃣", "")
	case "clock":
		return c.one(f("%d:%02d", c.IntN(24), c.IntN(60)), f("%02d:%02d", c.IntN(24), c.IntN(60)), f("%d点", c.from(6, 23)), f("%d点半", c.from(1, 12)), f("%02d:%02d:%02d", c.IntN(24), c.IntN(60), c.IntN(60)), f("%d：%02d", c.IntN(24), c.IntN(60)))
	case "date":
		return c.one(f("%d月%d日", m, d), f("%d月%d号", m, d), f("%d-%02d-%02d", y, m, d), f("%d/%d/%d", y, m, d), f("%d年%d月%d日", y, m, d), f("%d.%d", m, d), f("%d.%02d.%02d", y, m, d))
	case "md":
		return f("%d月%d日", m, d)
	case "year":
		return f("%d", y)
	case "date8":
		return f("%d%02d%02d", y, m, d)
	case "time6":
		return f("%02d%02d%02d", c.IntN(24), c.IntN(60), c.IntN(60))
	case "datetime":
		return f("%d-%02d-%02d %02d:%02d:%02d", y, m, d, c.IntN(24), c.IntN(60), c.IntN(60))
	case "ts10":
		return f("%d", 1_500_000_000+c.IntN(300_000_000))
	case "ts13":
		return f("%d", 1_500_000_000_000+c.Int64N(300_000_000_000))
	case "price":
		return c.one(f("%d元", c.from(3, 9999)), f("¥%d", c.from(3, 9999)), f("￥%d.%02d", c.from(3, 999), c.IntN(100)), f("%d块", c.from(3, 500)), f("%d.%d", c.from(3, 999), c.IntN(10)), f("%d,%03d元", c.from(1, 99), c.IntN(1000)), f("%d", c.from(10, 99999)))
	case "two":
		return f("%02d", c.IntN(100))
	case "cents":
		return c.one("三毛", "0.35元", "五分钱")
	case "small":
		return f("%d", c.from(2, 60))
	case "small3":
		return f("%d", c.from(100, 999))
	case "big":
		return c.one(f("%d", c.from(1000, 99999)), f("%d", c.from(1000, 9999)), f("%d万", c.from(2, 900)))
	case "bignum":
		return c.one(f("%d", c.from(100000, 999999999)), f("%d,%03d,%03d", c.from(1, 99), c.IntN(1000), c.IntN(1000)), f("%d.%d亿", c.from(1, 20), c.IntN(10)))
	case "index":
		return f("%d.%02d", c.from(2800, 3900), c.IntN(100))
	case "pct":
		return f("%d.%d%%", c.IntN(100), c.IntN(10))
	case "size":
		return c.one(f("%dG", c.from(2, 90)), f("%d.%dGB", c.from(1, 9), c.IntN(10)), f("%dMB", c.from(2, 900)))
	case "dist", "score1":
		return f("%d.%d", c.from(1, 42), c.IntN(10))
	case "bodytemp":
		return f("36.%d", c.IntN(10))
	case "pace":
		return f("%d'%02d\"", c.from(4, 7), c.IntN(60))
	case "cnd":
		return c.one("一", "二", "三", "四", "五", "六", "七", "八", "九", "1", "2", "3")
	case "train":
		return c.one("G", "D", "K", "Z") + f("%d", c.from(1, 9999))
	case "flight":
		return c.one("CA", "MU", "CZ", "HU") + f("%d", c.from(1000, 9999))
	case "seat":
		return f("%d%s", c.from(1, 20), c.one("A", "B", "C", "D", "F"))
	case "score":
		return c.one(f("%d:%d", c.IntN(6), c.IntN(6)), f("%d-%d", c.IntN(6), c.IntN(6)), f("%d比%d", c.IntN(6), c.IntN(6)), f("21-%d 21-%d", c.IntN(20), c.IntN(20)))
	case "bscore":
		return f("%d-%d", c.from(80, 130), c.from(80, 130))
	case "kda":
		return f("%d/%d/%d", c.IntN(20), c.IntN(20), c.IntN(20))
	case "ver":
		return c.one(f("%d.%d.%d", c.IntN(20), c.IntN(30), c.IntN(30)), f("v%d.%d", c.IntN(9), c.IntN(30)), f("%d.%d.%d.%d", c.from(1, 9), c.IntN(9), c.from(10, 99), c.from(300, 6000)), f("%d.%d.%d-beta.%d", c.IntN(9), c.IntN(30), c.IntN(9), c.from(1, 9)))
	case "gover":
		return f("1.%d.%d", c.from(18, 26), c.IntN(12))
	case "uaver":
		return f("%d.0.0.0", c.from(90, 140))
	case "build":
		return f("10.0.%d.%d", c.from(19041, 26100), c.from(300, 6000))
	case "http":
		return c.one("200", "301", "403", "404", "429", "500", "502", "503")
	case "port":
		return f("%d", c.from(1024, 65535))
	case "hash7":
		return c.hex(7)
	case "hash8":
		return c.hex(8)
	case "hash32":
		return c.hex(32)
	case "hash40":
		return c.hex(40)
	case "hash64":
		return c.hex(64)
	case "hex6":
		return c.hex(6)
	case "uuid":
		return f("%s-%s-4%s-a%s-%s", c.hex(8), c.hex(4), c.hex(3), c.hex(3), c.hex(12))
	case "url":
		return c.one(
			f("https://www.bilibili.com/video/%s?p=%d", c.slot(t, "bv"), c.from(1, 30)),
			f("https://github.com/golang/go/issues/%d", c.from(10000, 79999)),
			f("https://github.com/hearth-bot/hearth/commit/%s", c.hex(40)),
			f("https://www.zhihu.com/question/%s/answer/%s", c.digits(9), c.digits(10)),
			f("https://item.taobao.com/item.htm?id=%s&spm=a21bo.%s", "6"+c.digits(11), c.hex(8)),
			f("https://live.bilibili.com/%s", c.digits(8)),
			f("https://mp.weixin.qq.com/s/%s", c.text(22, "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789_-")),
			f("https://pkg.go.dev/net/http@go1.%d.%d", c.from(18, 26), c.IntN(12)),
			f("https://zh.wikipedia.org/wiki/%%E7%%81%%AB%%E7%%82%%89"),
			f("http://example.com/a/%d/%d?page=%d#top", c.from(1, 900), c.from(1, 900), c.from(1, 40)),
			f("https://docs.python.org/zh-cn/3.%d/library/re.html", c.from(8, 14)),
			f("https://music.163.com/#/song?id=%s", c.digits(9)))
	case "bv":
		return "BV1" + c.text(9, "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ123456789")
	case "qqlike":
		return c.digits(c.from(6, 10))
	case "uid":
		return c.digits(9)
	case "room":
		return c.digits(c.from(4, 8))
	case "express":
		return c.one("SF"+c.digits(13), "YT"+c.digits(13), "7"+c.digits(14), "JDVA"+c.digits(11), "43"+c.digits(13), "98"+c.digits(11))
	case "order":
		return c.one(f("%d%02d%02d%s", y, m, d, c.digits(10)), f("%d%02d%02d%s", y, m, d, c.digits(6)), "E"+f("%d%02d%02d%s", y, m, d, c.digits(6)), c.digits(12), "4200"+c.digits(24), c.digits(16), c.digits(19))
	case "jdorder":
		return c.digits(12)
	case "pddorder":
		return f("%02d%02d%02d-%s", y%100, m, d, c.digits(15))
	case "tborder":
		return c.one("1", "2", "3", "4") + c.digits(18)
	case "wxpay":
		return "42000" + f("%d%02d%02d", y, m, d) + c.digits(15)
	case "invoice":
		return c.one(c.digits(8), c.digits(20))
	case "sku":
		return c.one(c.digits(c.from(7, 10)), "100"+c.digits(9))
	case "model":
		return c.one("RTX4090", "XC70", "WH-1000XM5", "MX518", "DS220+", "K380", "P50 Pro", "U2723QE", "SM-S9180", "T14s")
	case "isbn":
		return f("978-7-%s-%s-%d", c.digits(3), c.digits(5), c.IntN(10))
	case "ean":
		return "69" + c.digits(11)
	case "arxiv":
		return f("%d%02d.%05d", c.from(10, 26), m, c.IntN(20000))
	case "lat":
		return f("%d.%06d", c.from(20, 50), c.IntN(1000000))
	case "lon":
		return f("%d.%06d", c.from(75, 130), c.IntN(1000000))
	case "lotto":
		return f("%02d %02d %02d %02d %02d %02d + %02d", c.from(1, 33), c.from(1, 33), c.from(1, 33), c.from(1, 33), c.from(1, 33), c.from(1, 33), c.from(1, 16))
	case "rand6":
		return c.digits(6)
	case "name":
		return c.one("阿柚", "老周", "小满", "林夕", "豆豆", "kk", "Mia", "大熊")
	}
	t.Fatalf("no slot %q", name)
	return ""
}
