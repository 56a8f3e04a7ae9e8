package models_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/tmc/langchaingo/llms"
)

func ExampleMeter() {
	spent := models.Usage{}
	model := models.Meter(modeltest.New(modeltest.Say("在的，怎么了？")), func(_ context.Context, u models.Usage) { spent = spent.Add(u) })

	reply, _ := llms.GenerateFromSinglePrompt(context.Background(), model, "在吗")
	fmt.Println(reply)
	fmt.Printf("%d call, %d tokens, estimated: %t\n", spent.Calls, spent.Total(), spent.Estimated)
	// Output:
	// 在的，怎么了？
	// 1 call, 13 tokens, estimated: true
}

func ExampleNormalize() {
	model := models.Normalize(modeltest.New(modeltest.Say("<think>\n他在问我在不在。\n</think>\n\n在的")))
	resp, _ := model.GenerateContent(context.Background(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "在吗")})
	fmt.Printf("%q %q\n", resp.Choices[0].Content, resp.Choices[0].ReasoningContent)
	// Output: "在的" "他在问我在不在。"
}

func ExampleClassify() {
	err := errors.New("API returned unexpected status code: 429: Rate limit reached. Please try again in 1.5s.")
	f := models.Classify(err)
	fmt.Println(f.Kind, f.Status, f.RetryAfter)
	// Output: rate limited 429 1.5s
}

func ExampleBreaker() {
	var b models.Breaker // five failures in a row open it
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for range 5 {
		ticket, _ := b.Allow(now)
		b.Done(now, ticket, models.Failed, 0)
	}
	_, ok := b.Allow(now)
	fmt.Println(b.State(now), ok)

	now = now.Add(time.Minute)
	probe, ok := b.Allow(now)
	fmt.Println(b.State(now), ok)
	b.Done(now, probe, models.Succeeded, 0)
	fmt.Println(b.State(now))
	// Output:
	// open false
	// half open true
	// closed
}

// A model of speech says a text, and a transcriber hears it. A fake server stands for both services.
func ExampleTranscribe() {
	fake := modeltest.New(modeltest.Voice([]byte("ID3…"), "audio/mpeg"), modeltest.Say("晚上好"))
	api := httptest.NewServer(fake.Handler())
	defer api.Close()
	speech, err := models.OpenAISpeech(api.URL, "tts-1", "", "alloy", models.OpenAIOptions{})
	if err != nil {
		panic(err)
	}
	whisper, err := models.OpenAITranscriber(api.URL, "whisper-1", "", models.OpenAIOptions{})
	if err != nil {
		panic(err)
	}
	counted := models.Meter(whisper, func(ctx context.Context, u models.Usage) {
		fmt.Println(models.PurposeOf(ctx), u.Prompt)
	})
	audio, mediaType, err := models.Speak(context.Background(), speech, "晚上好")
	fmt.Println(len(audio), mediaType, err)
	fmt.Println(models.Transcribe(context.Background(), counted, audio, mediaType))
	fmt.Println(fake.Prompts()[1].File)
	// Output:
	// 6 audio/mpeg <nil>
	// hear 1004
	// 晚上好 <nil>
	// voice.mp3
}
