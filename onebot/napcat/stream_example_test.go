package napcat_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/napcat"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// Upload copies a file to NapCat's machine in chunks, and upload_group_file sends it to a group. NapCat is simulated
// here; for a real one use a URL such as ws://127.0.0.1:3001.
func ExampleUpload() {
	qq := onebottest.New(onebottest.Options{})
	defer qq.Close()
	qq.Group(1, "炉边")

	dir, err := os.MkdirTemp("", "hearth-example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a.txt")
	os.WriteFile(path, []byte("周末去哪儿"), 0o600)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := onebot.NewClient(qq.Start(), onebot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = client.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		if _, ok := e.(*onebot.Lifecycle); !ok {
			return
		}
		defer cancel() // enough
		file, err := os.Open(path)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer file.Close()
		up, err := napcat.Upload(ctx, bot, "周末.txt", file, napcat.UploadOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(up.Size, "bytes,", up.SHA256[:8])
		err = bot.Call(ctx, "upload_group_file", map[string]any{"group_id": 1, "file": up.Path, "name": "周末.txt"}, nil)
		fmt.Println(err)
	})
	fmt.Println(err)
	// Output:
	// 15 bytes, 20c67a13
	// <nil>
	// <nil>
}
