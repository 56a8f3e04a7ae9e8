// Quickstart is a bot for QQ groups with NapCat and an OpenAI-compatible model. It is the quick start of the README.
package main

import (
	"context"
	"log"
	"log/slog"
	"os"
	"os/signal"

	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model, err := models.OpenAI("https://api.deepseek.com/v1", os.Getenv("MODEL_NAME"), os.Getenv("OPENAI_API_KEY"), models.OpenAIOptions{})
	check(err)
	db, err := sqlite.Open("xiaolu.db", sqlite.Options{})
	check(err)
	defer db.Close()
	client, err := onebot.NewClient("ws://127.0.0.1:3001", onebot.Options{Token: os.Getenv("ONEBOT_TOKEN"), Logger: slog.Default()})
	check(err)
	o, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: "小炉", Aliases: []string{"炉炉"}, About: "爱看番的大学生，说话简短。"},
		Model:   model, // any llms.Model
		Link:    onebotlink.New(client, onebotlink.Options{}),
		Storage: social.Storage{Store: db},
		Access:  social.Access{Owners: []persona.Account{{Platform: "qq", ID: "10001"}}},
		Hooks:   social.Hooks{Logger: slog.Default()},
	})
	check(err)
	bot, err := social.New(o)
	check(err)
	check(bot.Run(ctx)) // until Ctrl-C
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
