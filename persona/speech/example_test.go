package speech_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hearth-bot/hearth/persona/speech"
)

func Example() {
	reply := "好呀！我刚下课，等我十分钟。到了给你发消息～(´・ω・`) 你先点单，我要一杯3.5折的那个。"
	began := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	now := began.Add(2 * time.Second) // after the model call
	var pace speech.Pace
	var last time.Time
	for _, part := range speech.Split(reply, speech.SplitOptions{Seed: 1}) {
		now = now.Add(pace.Wait(part, began, last, now))
		fmt.Printf("%.1fs %s\n", now.Sub(began).Seconds(), part)
		last = now
	}
	// Output:
	// 2.0s 好呀！
	// 3.9s 我刚下课，等我十分钟
	// 6.9s 到了给你发消息～(´・ω・`) 你先点单，我要一杯3.5折的那个
}

func ExampleItemParser() {
	var items speech.ItemParser
	for _, chunk := range []string{"<item>主人，记得", "喝水哦～</item><it", "em>外面下雨了</item>"} {
		fmt.Printf("%q\n", items.Write(chunk))
	}
	// Output:
	// []
	// ["主人，记得喝水哦～"]
	// ["外面下雨了"]
}

func ExampleStickerPicker() {
	path, err := os.MkdirTemp("", "stickers")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(path)
	for _, name := range []string{"开心,大笑.gif", "无语,尴尬.gif"} {
		if err := os.WriteFile(filepath.Join(path, name), []byte("GIF89a"), 0o600); err != nil {
			panic(err)
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		panic(err)
	}
	defer root.Close()

	ctx := context.Background()
	dir, err := speech.NewStickerDir(root, speech.StickerDirOptions{})
	if err != nil {
		panic(err)
	}
	stickers, err := speech.NewStickerPicker(dir, speech.StickerOptions{})
	if err != nil {
		panic(err)
	}
	for _, query := range []string{"开心地笑", "有点尴尬", "饿了"} {
		sticker, ok, err := stickers.Pick(ctx, query)
		fmt.Println(sticker.ID, ok, err)
	}
	// Output:
	// 开心,大笑.gif true <nil>
	// 无语,尴尬.gif true <nil>
	//  false <nil>
}
