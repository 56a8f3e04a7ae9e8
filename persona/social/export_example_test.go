package social_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
)

// A bot moves to another machine. Its character is a directory that people can read and edit, and its memory is a file.
// On the new machine it has the same character and memories. Unfinished work, such as a reply about to be sent, does
// not move. To move that, too, copy the database itself: see Backup of memory/sqlite.
func Example_exportAndImport() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "bot")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	must := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}

	// On the old machine it learns about a cat and is exported.
	source := memory.NewMemStore() // or memory/sqlite
	mem, err := memory.New(source, memory.Options{})
	must(err)
	must(mem.Put(ctx, memory.Record{
		ID: "1", Space: "room:group:1", Kind: memory.KindMessage, Person: "7", Name: "小明", Text: "我家的猫叫年糕", At: time.Now().AddDate(0, 0, -3),
	}))
	me := persona.Character{
		Profile:   persona.Profile{Name: "小炉", About: "爱看番的大学生，说话随和。"},
		Documents: map[string]string{"character_state": "# 我\n\n刚搬来炉边。"},
	}
	must(me.WriteDir(filepath.Join(dir, "character")))
	file, err := os.Create(filepath.Join(dir, "memory.jsonl"))
	must(err)
	must(mem.Export(ctx, file, memory.ExportOptions{}))
	must(file.Close())

	// On the new machine it is imported. A database for many bots keeps a character in a row.
	target := memory.NewMemStore()
	me, err = persona.ReadCharacter(os.DirFS(filepath.Join(dir, "character")))
	must(err)
	must(persona.SaveCharacter(ctx, target, "xiaolu", me))
	file, err = os.Open(filepath.Join(dir, "memory.jsonl"))
	must(err)
	defer file.Close()
	mem, err = memory.New(target, memory.Options{})
	must(err)
	n, err := mem.Import(ctx, file, nil)
	must(err)
	fmt.Println(n, "message")
	me, _, err = persona.LoadCharacter(ctx, target, "xiaolu")
	must(err)
	fmt.Println(runUntilReply(me, target, "小炉，我家的猫叫什么"))
	// Output:
	// 1 message
	// 小炉答：年糕
}

// runUntilReply runs a bot until it has answered.
func runUntilReply(c persona.Character, store social.Store, line string) (said string) {
	room := &chatRoom{lines: []string{line}, said: make(chan string, 1)}
	bot, err := social.New(social.Options{
		Profile: c.Profile, Reply: social.Reply{Prompts: c.Prompts}, Link: room, Storage: social.Storage{Store: store},
		Model: modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			name, _, _ := strings.Cut(strings.TrimPrefix(p.System(), "你是"), "。")
			if !strings.Contains(p.Human(), "年糕") {
				return modeltest.Say(strings.TrimSpace(name) + "答：不知道")
			}
			return modeltest.Say(strings.TrimSpace(name) + "答：年糕")
		}),
		When: social.When{Buffer: buffer.Options{UrgentDelay: -1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	said = <-room.said
	stop()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	return said
}
