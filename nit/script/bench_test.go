package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit/script"
)

const benched = `# 看看昨天说了什么，再告诉大家
$m = memory_ops(query="昨天 \"约饭\"", since="2026-11-20", limit=5)
$s = summarize(parts=[$m, "以上"], style='short')
async qq_send_text(target_id="group_123456", content=$s, type="group")
qq_send_text(target_id="user_987", content="好的，我记下了：今天晚上八点一起看番，带零食。", retries=3)
notify_master(content=$s, urgency="normal")
`

// BenchmarkScriptParse compares parsing with reading each byte. "ratio" alternates both, so that noise slows both.
func BenchmarkScriptParse(b *testing.B) {
	parse := func() int {
		s, err := script.Parse(benched, script.Options{})
		if err != nil || s == nil {
			b.Fatal(err)
		}
		return len(benched)
	}
	scan := func() int { // brackets outside strings: the minimal work of any parser
		depth, quote := 0, byte(0)
		for i := range len(benched) {
			switch c := benched[i]; {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '(':
				depth++
			}
		}
		return depth
	}
	for _, one := range []struct {
		name string
		f    func() int
	}{{"parse", parse}, {"scan", scan}} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(benched)))
			for b.Loop() {
				one.f()
			}
		})
	}
	b.Run("ratio", func(b *testing.B) {
		var spent [2]time.Duration
		for b.Loop() {
			for i, f := range []func() int{parse, scan} {
				start := time.Now()
				for range 50 {
					f()
				}
				spent[i] += time.Since(start)
			}
		}
		b.ReportMetric(float64(spent[0])/float64(spent[1]), "parse/scan")
	})
}

// BenchmarkSplitter measures streamed text without and with blocks, per byte.
func BenchmarkSplitter(b *testing.B) {
	text := strings.Repeat("今天晚上八点一起看番吗？我带零食 >_< ", 50)
	for name, text := range map[string]string{"text": text, "blocks": text + nitBlock(benched) + text} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := script.NewSplitter(splitting)
				for i := 0; i < len(text); i += 16 { // about one model token
					s.Write(text[i:min(i+16, len(text))])
				}
				s.Close()
			}
		})
	}
}
