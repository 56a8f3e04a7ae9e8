package media

import (
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
)

// A text file is read by its first 4 kB, cut between characters. Other files are a name and a size.
func TestFile(t *testing.T) {
	long := strings.Repeat("长", 1365) // 4095 bytes
	const cut = "……（后文略）"
	for name, c := range map[string]struct {
		file    persona.File
		content string
		want    string // "": as without opening
	}{
		"text":           {persona.File{Name: "a.md", Size: 12}, "\ufeff 第一行\n第二行 \n", "[文件 a.md 12 B：第一行\n第二行]"},
		"upper case":     {persona.File{Name: "A.TXT"}, "好", "[文件 A.TXT：好]"},
		"4 kB":           {persona.File{Name: "a.txt"}, long + "a", "[文件 a.txt：" + long + "a]"},
		"longer":         {persona.File{Name: "a.txt"}, long + "ab", "[文件 a.txt：" + long + "a" + cut + "]"},
		"cut character":  {persona.File{Name: "a.txt"}, long + "长", "[文件 a.txt：" + long + cut + "]"},
		"long":           {persona.File{Name: "a.txt"}, strings.Repeat("长", 99_999), "[文件 a.txt：" + long + cut + "]"},
		"another type":   {persona.File{Name: "a.exe", Size: 1000}, "文字", ""},
		"no name":        {persona.File{}, "文字", ""},
		"binary":         {persona.File{Name: "a.txt"}, "MZ\x90\x00\x03", ""},
		"NUL":            {persona.File{Name: "a.txt"}, "文字\x00", ""},
		"GBK":            {persona.File{Name: "a.txt"}, "\xc4\xe3\xba\xc3", ""},
		"no characters":  {persona.File{Name: "a.txt"}, strings.Repeat("\x80", 9999), ""},
		"empty":          {persona.File{Name: "a.txt"}, " \n", ""},
		"a banned word":  {persona.File{Name: "a.txt"}, "来赌博", ""},
		"already opened": {persona.File{Name: "a.txt", Excerpt: "见过"}, "新", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, byID := range []bool{false, true} {
				sent, opened := c.file, c.file
				if opened.URL = "http://files.example/content"; byID {
					sent.ID = "f"
				} else {
					sent = opened
				}
				f := newLinkFixture(t, (&platform{parts: map[string]persona.Part{"f": opened}}).features(), Options{})
				f.internet.files = map[string]string{"content": c.content}
				read := f.read(t, newMessage("1", sent))
				if c.want == "" {
					assert.Equal(t, unopened(t, newMessage("1", sent)), read)
				} else {
					assert.Contains(t, read, ">"+c.want+"</msg>")
				}
			}
		})
	}
}

// Files are fetched only from public addresses.
func TestFile_FetchGuard(t *testing.T) {
	for url, public := range map[string]bool{
		"http://files.example/a.txt": true, "http://93.184.216.34/a.txt": true,
		"http://127.0.0.1/a.txt": false, "http://[::1]/a.txt": false, "http://192.168.0.1/a.txt": false, "http://files.example:22/a.txt": false,
		"file:///etc/passwd": false, "ftp://files.example/a.txt": false, "": false,
	} {
		f := newLinkFixture(t, engine.Features{OpenPart: (&platform{}).open}, Options{})
		f.internet.files = map[string]string{"a.txt": "内容"}
		read := f.read(t, newMessage("1", persona.File{Name: "a.txt", URL: url}))
		assert.Equal(t, public, strings.Contains(read, "内容"), url)
		assert.Equal(t, public, len(f.internet.requests()) == 1, url)
		assert.Equal(t, !public, f.Counts().PartsFailed == 1, url)
	}
}

// A turn reads three files.
func TestFile_Limit(t *testing.T) {
	f := newLinkFixture(t, (&platform{}).features(), Options{})
	f.internet.files = map[string]string{"a": "内容"}
	file := persona.File{Name: "a.txt", URL: "http://files.example/a"}
	read := f.read(t, newMessage("1", file, file), newMessage("2", file, file))
	assert.Equal(t, 3, strings.Count(read, "内容"))
	assert.Contains(t, read, ">[文件 a.txt：内容][文件 a.txt]</msg>", "the newest message first")
}
