package script_test

import (
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const token = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

var splitting = script.SplitOptions{Token: token, BareCalls: true}

func nitBlock(body string) string { return "<nit-" + token + ">" + body + "</nit-" + token + ">" }

func callBlock(body string) string {
	return "<tool_call-" + token + ">" + body + "</tool_call-" + token + ">"
}

// split splits a complete text.
func split(text string, o script.SplitOptions) (shown string, blocks []script.Block) {
	s := script.NewSplitter(o)
	shown = s.Write(text)
	return shown + s.Close(), s.Blocks()
}

func TestSplitter(t *testing.T) {
	long := strings.Repeat("x", 256<<10)
	for _, c := range []struct {
		name, text, shown string
		blocks            []script.Block
	}{
		{"nothing", "", "", nil},
		{"text", "在吗 <b> a<b >_<", "在吗 <b> a<b >_<", nil},
		{"a script", "好的" + nitBlock("\na()\n") + "马上", "好的马上", []script.Block{{Form: script.FormNIT, Body: "\na()\n"}}},
		{"two", nitBlock("a()") + nitBlock("b()"), "", []script.Block{{Body: "a()"}, {Body: "b()"}}},
		{"the end in a string", nitBlock(`a(x="` + "</nit-" + token + ">" + `")`), "", []script.Block{{Body: `a(x="</nit-` + token + `>")`}}},
		{"the end in the other string", nitBlock(`a(x='\'</nit-` + token + `>"')`), "", []script.Block{{Body: `a(x='\'</nit-` + token + `>"')`}}},
		{"the end in a comment", nitBlock("a() # \" </nit-" + token + ">\nb()"), "", []script.Block{{Body: "a() # \" </nit-" + token + ">\nb()"}}},
		{"another end", nitBlock("a()</nit></nit-AB><x>"), "", []script.Block{{Body: "a()</nit></nit-AB><x>"}}},
		{"not closed", "好" + "<nit-" + token + ">a()\n", "好", nil},
		{"not closed: a quote", "好" + nitBlock("a(x='it's')") + "后面", "好", nil},
		{"half a tag", "好<nit-ABC", "好", nil},
		{"half an end", "好<nit-" + token + ">a()</nit-ABC", "好", nil},
		{"another token", "<nit-ABCD>a()</nit-ABCD>", "<nit-ABCD>a()</nit-ABCD>", nil},
		{"nearly the token", "<nit-" + token[:25] + "Y>a()", "<nit-" + token[:25] + "Y>a()", nil},
		{"the token and more", "<nit-" + token + "A>a()", "<nit-" + token + "A>a()", nil},
		{"the token in another case", "<nit-" + strings.ToLower(token) + ">a()", "<nit-" + strings.ToLower(token) + ">a()", nil},
		{"plain", "<nit>a()</nit>", "<nit>a()</nit>", nil},
		{"a tag in a tag", "<nit-<nit-<tool_<" + nitBlock("a()")[1:], "<nit-<nit-<tool_", []script.Block{{Body: "a()"}}},
		{"json", `<tool_call>{"name":"a"}</tool_call>`, "", []script.Block{{Form: script.FormJSON, Body: `{"name":"a"}`}}},
		{"json: the end in a string", `<tool_call> {"x":"\"</tool_call>"}</tool_call>后`, "后", []script.Block{{Form: script.FormJSON, Body: ` {"x":"\"</tool_call>"}`}}},
		{"json: not closed", `前<tool_call>{"x":1}`, "前", nil},
		{"xml", "<tool_call>\n<function=a>\n<parameter=k>v</parameter></function></tool_call>", "",
			[]script.Block{{Form: script.FormXML, Body: "\n<function=a>\n<parameter=k>v</parameter></function>"}}},
		{"xml: the end in a parameter", "<tool_call><function=a><parameter=k></tool_call>\"'</parameter></function></tool_call>后", "后",
			[]script.Block{{Form: script.FormXML, Body: "<function=a><parameter=k></tool_call>\"'</parameter></function>"}}},
		{"json with the token", callBlock(`{"x":"</tool_call-`+token+`>"}`) + "后", "后", []script.Block{{Form: script.FormJSON, Body: `{"x":"</tool_call-` + token + `>"}`}}},
		{"xml with the token", callBlock("<function=a></tool_call></function>") + "后", "后", []script.Block{{Form: script.FormXML, Body: "<function=a></tool_call></function>"}}},
		{"a call with another token", "<tool_call-ABCD>{}</tool_call-ABCD>", "<tool_call-ABCD>{}</tool_call-ABCD>", nil},
		{"half a tag of a call", "好<tool_call-ABC", "好", nil},
		{"empty", "<tool_call></tool_call>" + nitBlock(""), "", []script.Block{{Form: script.FormXML}, {}}},
		{"thinking", " <think>" + nitBlock("a()") + "<tool_call></think>好", " 好", nil},
		{"thinking without end", "<think>好", "", nil},
		{"thinking later", "好<think>" + nitBlock("a()"), "好<think>", []script.Block{{Body: "a()"}}},
		{"as long as may be", nitBlock(long), "", []script.Block{{Body: long}}},
		{"too long", "前" + nitBlock(long+"x") + "后", "前后", []script.Block{{TooLong: true}}},
		{"far too long", "前" + nitBlock(long+"'"+long+"</nit-"+token+">'"+long) + "后", "前后", []script.Block{{TooLong: true}}},
		{"far too long json", "<tool_call>{" + long + long + "</tool_call>后", "后", []script.Block{{Form: script.FormJSON, TooLong: true}}},
		{"far too long xml", "<tool_call><function=a>" + long + "<parameter=k>" + long + "</tool_call></parameter></tool_call>后", "后", []script.Block{{Form: script.FormXML, TooLong: true}}},
	} {
		shown, blocks := split(c.text, splitting)
		assert.Equal(t, c.shown, shown, c.name)
		require.Len(t, blocks, len(c.blocks), c.name)
		for i, b := range blocks {
			assert.True(t, b == c.blocks[i], "%s: %.99q", c.name, b.Body)
		}
	}

	s := script.NewSplitter(script.SplitOptions{BareScripts: true})
	assert.Equal(t, "<tool_call><tool_call->", s.Write("<think>嗯</think><nit>a()</nit><tool_call><tool_call->"))
	assert.Equal(t, "嗯", s.Reasoning())
	assert.Equal(t, []script.Block{{Body: "a()"}}, s.Blocks())
	var zero script.Splitter
	assert.Equal(t, "<nit>a()<tool_call><nit-"+token+"><t", zero.Write("<nit>a()<tool_call><nit-"+token+"><t")+zero.Close())
}

// checkSplitter checks the rules for all texts: chunks do not matter, visible text is final, little is buffered, and no
// part of a block is visible.
func checkSplitter(t *testing.T, text string, o script.SplitOptions, cut func(rest int) int) {
	t.Helper()
	whole := script.NewSplitter(o)
	early := whole.Write(text)
	shown := early + whole.Close()
	parts := script.NewSplitter(o)
	got := ""
	for rest := text; rest != ""; {
		n := max(1, min(cut(len(rest)), len(rest)))
		got += parts.Write(rest[:n])
		rest = rest[n:]
		prefix := script.NewSplitter(o)
		seen := prefix.Write(text[:len(text)-len(rest)])
		require.Equal(t, seen, got, "%q", text)
		if held := prefix.Close(); held != "<" { // a single "<" is shown at the end, except at the start of a block
			seen += held
		}
		require.True(t, strings.HasPrefix(shown, seen), "%q was shown of %q", seen, text)
	}
	require.Equal(t, shown, got+parts.Close(), "%q", text)
	require.Equal(t, whole.Blocks(), parts.Blocks(), "%q", text)
	require.Equal(t, whole.Reasoning(), parts.Reasoning(), "%q", text)
	if len(whole.Blocks()) == 0 {
		require.NotContains(t, shown, "<nit-"+token+">")
		require.NotContains(t, shown, "<tool_call-"+token+">")
		if o.BareCalls {
			require.NotContains(t, shown, "<tool_call>")
		}
	}
}

// Random combinations of block parts in random chunks.
func TestSplitter_Properties(t *testing.T) {
	pieces := []string{"好", "<", ">", "<nit-", token, "</nit-" + token + ">", "<nit-" + token + ">", "a(x=", `"`, `'`, "#", "\n", `\`,
		"<tool_call>", "</tool_call>", "<tool_call-", "<tool_call-" + token + ">", "</tool_call-" + token + ">", "{", "<function=a>", "<parameter=k>", "</parameter>", "<think>", "</think>", "<nit>", "</nit>", " "}
	seed := uint64(1)
	next := func(n int) int { seed = seed*6364136223846793005 + 1442695040888963407; return int(seed>>33) % n }
	blocks := 0
	for range 1500 {
		text := ""
		for range next(14) {
			text += pieces[next(len(pieces))]
		}
		o := splitting
		o.BareScripts = next(2) == 0
		checkSplitter(t, text, o, func(int) int { return 1 })
		checkSplitter(t, text, o, func(int) int { return 1 + next(9) })
		_, found := split(text, o)
		blocks += len(found)
	}
	assert.Greater(t, blocks, 50)
}

// The Splitter never buffers more than a tag.
func TestSplitter_BuffersLittle(t *testing.T) {
	for _, text := range []string{"<nit-" + strings.Repeat("A", 100), strings.Repeat("<", 100), strings.Repeat("<tool_", 20), strings.Repeat("<nit-ABC", 20), strings.Repeat("<think", 20), "<tool_call-" + strings.Repeat("A", 100)} {
		s := script.NewSplitter(splitting)
		shown := 0
		for i := range len(text) {
			shown += len(s.Write(text[i : i+1]))
			assert.LessOrEqual(t, i+1-shown, len("<tool_call->")+len(token), text[:i+1])
		}
	}
}

// An answer cut at every byte: no part of a block is visible, and an unclosed block is reported.
func TestSplitter_HidesBlocks(t *testing.T) {
	pieces := []string{ // visible and hidden in turn
		"早上好", nitBlock("secret(x=\"secret </nit> secret\")"),
		"！", "<tool_call>\n{\"name\": \"secret\"}\n</tool_call>",
		"，", "<tool_call><function=secret><parameter=secret>secret</parameter></function></tool_call>",
		"再见",
	}
	before := ""
	for i, piece := range pieces {
		for end := range len(piece) + 1 {
			s := script.NewSplitter(splitting)
			shown := s.Write(before+piece[:end]) + s.Close()
			inBlock := i%2 == 1 && end > 1 && end < len(piece) // a single "<" is not a tag
			assert.Equal(t, inBlock, s.Unclosed(), "%s%s", before, piece[:end])
			assert.True(t, strings.HasPrefix("早上好！，再见", strings.TrimSuffix(shown, "<")), "%q", shown)
		}
		before += piece
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add("好的"+nitBlock("a(x='</nit>')")+"后", uint64(3))
	f.Add(`<tool_call>{"name":"a","arguments":{"x":"</tool_call>"}}</tool_call>`, uint64(1))
	f.Add("<tool_call><function=a><parameter=k>v</tool_call></parameter></function></tool_call>", uint64(2))
	f.Add("<think>a</think><nit-<tool_<", uint64(5))
	f.Add("<nit-"+token[:20], uint64(7))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 2000 {
			return
		}
		next := func(n int) int { seed = seed*6364136223846793005 + 1442695040888963407; return int(seed>>33) % n }
		checkSplitter(t, text, splitting, func(int) int { return 1 + next(50) })
	})
}
