package script_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Extensions of the strict dialect, all rejected by the legacy one.
func TestParse_Superset(t *testing.T) {
	for src, want := range map[string]string{
		`a(x=true, y=false, z=null)`:              `a{"x":true,"y":false,"z":<nil>}`,
		`a(x=True, y=False, z=None)`:              `a{"x":true,"y":false,"z":<nil>}`,
		`a(x={"k": 1, k2: [2], "": {}})`:          `a{"x":{"":{},"k":1,"k2":[2]}}`,
		`a(x=-1, y=-0.5, z=-9223372036854775809)`: `a{"x":-1,"y":float -0.5,"z":-9223372036854775809}`,
		`a(x=1e3, y=2.5E-2, z=1e+2)`:              `a{"x":float 1000,"y":float 0.025,"z":float 100}`,
		`a(x=[1, 2,], y={"k": 1,},)`:              `a{"x":[1,2],"y":{"k":1}}`,
		`;a(x=1);;`:                               `a{"x":1}`,
		`mcp.server.read-file(max-size=1)`:        `mcp.server.read-file{"max-size":1}`,
		`mcp.文件(用户.名="x")`:                        `mcp.文件{"用户.名":"x"}`,
	} {
		calls, err := trace(t, src, script.Options{})
		require.NoError(t, err, src)
		assert.Equal(t, []string{want}, calls, src)
		wrong(t, src, compatible)
	}
	for src, want := range map[string]string{ // \u differs: the legacy dialect has no such escape
		`a(x="\u4f60\u597d")`:              `a{"x":"你好"}`,
		`a(x="\ud83d\ude42")`:              `a{"x":"🙂"}`,
		`a(x="\ud83d", y="\ud83dx\u0041")`: "a{\"x\":\"\ufffd\",\"y\":\"\ufffdxA\"}",
		`a(x="\ud83d\u0041")`:              "a{\"x\":\"\ufffdA\"}",
		`a(x="\user\u12")`:                 `a{"x":"useru12"}`,
	} {
		calls, err := trace(t, src, script.Options{})
		require.NoError(t, err, src)
		assert.Equal(t, []string{want}, calls, src)
	}
	calls, err := trace(t, `a(x="\u4f60")`, compatible)
	require.NoError(t, err)
	assert.Equal(t, []string{`a{"x":"u4f60"}`}, calls)
}

func TestParse_Strict(t *testing.T) {
	for src, want := range map[string]string{
		`a(x=1, x=2)`:                            `parse: line 1, col 8: "x" is given twice`,
		`a(x={"k": 1, k: 2})`:                    `parse: line 1, col 14: "k" is given twice`,
		"a()\nb(x=[$y])":                         `resolve: line 2, col 6: no call before assigns $y`,
		`$x = a(x=$x)`:                           `resolve: line 1, col 10: no call before assigns $x`,
		`a(x=1e400)`:                             `lex: line 1, col 5: a number that is too large`,
		`a(x=true.x)`:                            `parse: line 1, col 5: expected a value, found a name`,
		`a(x=-)`:                                 `lex: line 1, col 5: unexpected character '-'`,
		`a(x=1)//c`:                              `lex: line 1, col 7: unexpected character '/'`,
		`a(x=$y.z)`:                              `lex: line 1, col 7: unexpected character '.'`,
		`a(,)`:                                   `parse: line 1, col 3: expected a name, found ","`,
		`a(x=[,])`:                               `parse: line 1, col 6: expected a value, found ","`,
		`a(x={1: 2})`:                            `parse: line 1, col 6: expected a string or a name, found a number`,
		`a(x={"k" 2})`:                           `parse: line 1, col 10: expected ":", found a number`,
		"a(x=\"\xff\")":                          `lex: line 1, col 6: not UTF-8`,
		`a("x")`:                                 `parse: line 1, col 3: expected a name, found a string`,
		`$x = "lit"`:                             `parse: line 1, col 6: expected a name, found a string`,
		`a(x=b())`:                               `parse: line 1, col 5: expected a value, found a name`,
		`a(x=` + strings.Repeat("9", 4301) + `)`: `lex: line 1, col 5: a number of more than 4300 digits`,
	} {
		assert.EqualError(t, wrong(t, src, script.Options{}), "script: "+want, "%q", src)
	}
	var nine []string
	for i := range 20 {
		nine = append(nine, fmt.Sprintf("k%d=1", i))
	}
	e := wrong(t, "a("+strings.Join(nine, ",")+",k0=1)", script.Options{})
	assert.Equal(t, `"k0" is given twice`, e.Message)
	calls, err := trace(t, `a(x=1, x=$y)`, compatible)
	require.NoError(t, err)
	assert.Equal(t, []string{`a{"x":<nil>}`}, calls)
}

// Numbers as in Python's int() and float().
func TestParse_Numbers(t *testing.T) {
	var got any
	read := func(src string) error {
		_, err := script.Run("a(x="+src+")", compatible, func(_ string, args map[string]any) (any, error) {
			got = args["x"]
			return nil, nil
		})
		return err
	}
	for src, want := range map[string]any{
		"007": int64(7), "10.": 10.0, "3.14": 3.14, "٣": int64(3), "٣.٥": 3.5, "１２": int64(12), "𝟙𝟘": int64(10), "1२": int64(12),
		"9223372036854775807": int64(math.MaxInt64), strings.Repeat("9", 400) + ".": math.Inf(1),
	} {
		require.NoError(t, read(src), src)
		assert.Equal(t, want, got, src)
	}
	require.NoError(t, read("9223372036854775808"))
	assert.Equal(t, "9223372036854775808", fmt.Sprint(got))
	for _, src := range []string{"1.2.3", "²", "1²", "①", "1.²", strings.Repeat("0", 4301)} {
		var e *script.Error
		require.ErrorAs(t, read(src), &e, src)
		assert.Equal(t, script.StageLex, e.Stage, src)
		assert.Equal(t, 5, e.Col, src)
	}
}

// Error texts for a model.
func TestError_Render(t *testing.T) {
	var b strings.Builder
	for _, src := range []string{
		"a(x=)",
		"$r = a()\n\tqq_send_text(content=$r, 目标=，)",
		"工具(名字=\"你好\" x=1)",
		"a(x=\"not closed)\nb()",
		"a(",
		"",
		"a(x=1)\r\nb(x=\u200b)",
		"a(content=\"" + strings.Repeat("很长", 100) + "\" b=1, c=\"" + strings.Repeat("x", 200) + "\")",
		"a(x=\"one\nline\nmore\", y=)",
		strings.Repeat("a()\n", 99) + "a(x=$y)",
		strings.Repeat("a()\n", 9) + "boom()",
	} {
		opts := script.Options{Limits: script.NoLimits()}
		_, err := script.Run(src, opts, func(name string, _ map[string]any) (any, error) {
			if name == "boom" {
				return nil, errors.New("no such group")
			}
			return nil, nil
		})
		if err == nil {
			continue
		}
		var e *script.Error
		require.ErrorAs(t, err, &e)
		fmt.Fprintf(&b, "%s\n%s\n\n", e.Stage, e.Render())
	}
	golden(t, "errors.golden", b.String())
}

func TestParse_Limits(t *testing.T) {
	many := func(n int, one, sep string) string { return strings.TrimSuffix(strings.Repeat(one+sep, n), sep) }
	for _, c := range []struct {
		fits, not string
		want      string
	}{
		{many(16, "a()", "\n"), many(17, "a()", "\n"), "resolve: line 17, col 1: more than 16 calls"},
		{"a(x=[" + many(1024, "1", ",") + "])", "a(x=[" + many(1025, "1", ",") + "])", "parse: line 1, col 2054: more than 1024 items"},
		{"a(x=" + many(16, "[", "") + many(16, "]", "") + ")", "a(x=" + many(17, "[", "") + many(17, "]", "") + ")", "parse: line 1, col 22: more than 16 lists within each other"},
		{"a(x='" + many(64<<10, "x", "") + "')", "a(x='" + many(64<<10+1, "x", "") + "')", "lex: line 1, col 5: a string of more than 65536 bytes"},
		{many(256<<10, " ", ""), many(256<<10+1, " ", ""), "lex: line 1, col 1: a script of more than 262144 bytes"},
	} {
		_, err := trace(t, c.fits, script.Options{})
		assert.NoError(t, err)
		assert.EqualError(t, wrong(t, c.not, script.Options{}), "script: "+c.want)
		_, err = trace(t, c.not, script.Options{Limits: script.NoLimits()})
		assert.NoError(t, err)
		_, err = trace(t, c.not, compatible)
		assert.NoError(t, err)
	}
	deep := "a(x=" + many(1_000_000, "[", "")
	assert.Equal(t, script.StageParse, wrong(t, deep, compatible).Stage, "the stack has an end")
}

// A mistake in the last line prevents the first call.
func TestRun_ParsesTheWholeScriptFirst(t *testing.T) {
	for _, last := range []string{"b(", "b(x='", "b(x=$y)", "b(x=1, x=2)", "b(x=`)", "b(x=1.2.3)"} {
		calls, err := trace(t, "a()\n"+last, script.Options{})
		assert.Error(t, err, last)
		assert.Empty(t, calls, last)
	}
}
