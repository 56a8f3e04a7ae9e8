package script_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/require"
)

// Every text ends as calls or as an error with a position. The strict dialect makes the same calls as the legacy one. A
// script between tags is found again.
func FuzzRun(f *testing.F) {
	for _, src := range []string{
		"", "$x = a(x=1)\nb(y=[$x, 'z', 2.5])", "a(x=true, y={\"k\": null,},);", "async a(x=-1e3) # c\nb.c(\n", `a(x="</nit-` + token + `>\u4f60")`,
		"a(x=1.2.3)", "a(x=², y=٣)", "工具(名字='字", "a(x=$y)", "a(x=1, x=2)", "a(x=[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]])", "\xff",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4000 {
			return
		}
		strict, strictErr := checked(t, src, script.Options{Limits: script.NoLimits()})
		loose, looseErr := checked(t, src, compatible)
		_, limitedErr := checked(t, src, script.Options{})
		if strictErr != nil {
			require.Error(t, limitedErr, "limits allow nothing")
		}
		if strictErr == nil && looseErr == nil && !strings.Contains(src, `\u`) && !strings.Contains(src, "async") {
			require.Equal(t, loose, strict)
		}
		if looseErr == nil && strictErr != nil {
			require.Regexp(t, "given twice|no call before assigns|too large", strictErr.Message)
		}
		if strictErr == nil {
			_, blocks := split(nitBlock(src+"\n")+"后", splitting)
			require.Equal(t, []script.Block{{Body: src + "\n"}}, blocks)
		}
	})
}

// checked runs src and checks the rules for all errors.
func checked(t *testing.T, src string, opts script.Options) ([]string, *script.Error) {
	if strings.Contains(src, "async") && !opts.Legacy {
		_, err := script.Parse(src, opts)
		return nil, placed(t, src, err)
	}
	calls, err := trace(t, src, opts)
	if err != nil {
		require.Empty(t, calls)
	}
	return calls, placed(t, src, err)
}

func placed(t *testing.T, src string, err error) *script.Error {
	if err == nil {
		return nil
	}
	var e *script.Error
	require.True(t, errors.As(err, &e))
	lines := strings.Split(src, "\n")
	require.True(t, 1 <= e.Line && e.Line <= len(lines), "%v", e)
	require.True(t, 1 <= e.Col && e.Col <= utf8.RuneCountInString(lines[e.Line-1])+1, "%v", e)
	require.Contains(t, []script.Stage{script.StageLex, script.StageParse, script.StageResolve}, e.Stage)
	require.True(t, strings.HasPrefix(e.Render(), fmt.Sprintf("NIT error at line %d, col %d: ", e.Line, e.Col)))
	require.Less(t, len(e.Render()), 2000)
	return e
}
