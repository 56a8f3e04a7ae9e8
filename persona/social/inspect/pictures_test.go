package inspect_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/internal/browsertest"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/require"
)

var pictures = flag.String("pictures", "", "`directory` of the pictures of the documentation, such as ../../../docs/img")

// TestPages_Pictures makes the pictures of the documentation from a real bot and a real browser.
func TestPages_Pictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("needs -pictures DIRECTORY")
	}
	b := browsertest.Open(t)
	h := newHouse(t, modeltest.Always(modeltest.Say("我也去！记得带手电，西边那条路天黑得早。")))
	const bob = 1002
	h.group = h.qq.Group(2, "爬山小队")
	h.group.Member(ann, "小满")
	h.group.Member(bob, "老王")
	for i, text := range []string{"周六去爬山，有人一起吗", "我去，几点", "早上八点，东门集合", "那条路我走过，下午四点就没太阳了", "我家的猫年糕生日也在周六，傍晚得回来"} {
		h.group.Say([]int64{ann, bob}[i%2], onebot.Message{onebot.Text(text)})
	}
	h.calls("你来不来")
	decision := h.judged()
	screen := browsertest.Screen{Width: 1200, Height: 760}
	signIn(t, b, h.server.URL, screen)
	b.Page(screen).Load(h.server.URL + "/?lang=zh")
	for name, path := range map[string]string{
		"decision": decision, "whatif": h.link(decision, "/bot/0/whatif") + "&policy=interject",
	} {
		p := b.Page(screen)
		p.Load(h.server.URL + path)
		require.NoError(t, os.WriteFile(filepath.Join(*pictures, "inspect-"+name+".png"), p.Screenshot(), 0o644))
	}
}
