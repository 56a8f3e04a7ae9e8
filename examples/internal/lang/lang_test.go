package lang

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		all, messages, lang, system string
		want                        Language
	}{
		{want: Chinese},
		{lang: "C.UTF-8", want: Chinese},
		{lang: "POSIX", want: Chinese},
		{lang: "zh_CN.UTF-8", want: Chinese},
		{lang: "zh_TW", want: Chinese},
		{lang: "en_US.UTF-8", want: English},
		{lang: "de_DE@euro", want: English},
		{lang: "en_US", messages: "zh_CN", want: Chinese},
		{all: "en_US", messages: "zh_CN", lang: "zh_CN", want: English},
		{all: "C", lang: "en_US", want: Chinese},
		{system: "en", want: English},
		{lang: "zh_CN", system: "en", want: Chinese},
	} {
		env := map[string]string{"LC_ALL": test.all, "LC_MESSAGES": test.messages, "LANG": test.lang}
		assert.Equal(t, test.want, ofEnvironment(func(name string) string { return env[name] }, func() string { return test.system }), test)
	}
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	for want, lists := range map[Language][][]string{
		English: {{"-lang", "en"}, {"--lang=en"}, {"-x", "1", "-lang=en"}},
		Chinese: {{"-lang"}, {"-lang", "fr"}, {"lang", "en"}, {"-language", "en"}},
	} {
		for _, args := range lists {
			assert.Equal(t, want, Of(args), args)
		}
	}
	assert.NoError(t, English.Check())
	assert.EqualError(t, Language("fr").Check(), `-lang "fr" is unknown: zh or en`)
}

func TestErrorf(t *testing.T) {
	_, missing := os.Open(filepath.Join(t.TempDir(), "none"))
	inner := Errorf("%s 读不了：%v", "%s: %v", "-file", missing)
	outer := Errorf("%[2]s：%[1]v", "%v at %s", inner, T("这里", "here"))
	assert.Equal(t, "-file: "+missing.Error()+" at here", outer.Error())
	assert.Equal(t, "这里：-file 读不了：没有这个文件或目录（"+missing.Error()+"）", Chinese.Error(outer))
	require.ErrorIs(t, outer, fs.ErrNotExist)

	wrapped := fmt.Errorf("start: %w", inner)
	assert.Equal(t, "start: -file 读不了：没有这个文件或目录（"+missing.Error()+"）", Chinese.Error(wrapped))
	joined := errors.Join(inner, errors.New("other"))
	assert.Equal(t, "-file 读不了：没有这个文件或目录（"+missing.Error()+"）\nother", Chinese.Error(joined))
	assert.Equal(t, joined.Error(), English.Error(joined))

	assert.Equal(t, inner.Error(), Print(English.Wrap(inner), []string{"-lang", "zh"}))
	assert.Contains(t, Print(inner, []string{"-lang", "zh"}), "读不了")
	assert.NoError(t, English.Wrap(nil))
}

// Real errors of the system have an explanation in both languages.
func TestError_Causes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, busy := net.Listen("tcp", l.Addr().String())
	require.Error(t, busy)
	l.Close()
	_, refused := net.Dial("tcp", "127.0.0.1:1") // no other program listens there
	require.Error(t, refused)
	unknown := &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}
	for _, test := range []struct {
		err              error
		chinese, english string
	}{
		{busy, "换一个端口", "choose another port"},
		{refused, "那里没有程序在监听", "is the program there running"},
		{unknown, "找不到这个主机", "is this computer online"},
	} {
		for l, want := range map[Language]string{Chinese: test.chinese, English: test.english} {
			assert.Contains(t, l.Error(test.err), want)
			assert.Contains(t, l.Error(test.err), test.err.Error())
		}
	}
}
