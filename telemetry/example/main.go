// Example is a bot for QQ groups with metrics for Prometheus under http://127.0.0.1:9464/metrics. The environment configures it:
// ONEBOT_URL, ONEBOT_TOKEN, MODEL_URL, MODEL_NAME, OPENAI_API_KEY and METRICS_ADDRESS.
package main

import (
	"cmp"
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/hearth-bot/hearth/telemetry"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	model, err := models.OpenAI(env("MODEL_URL", "https://api.deepseek.com/v1"), os.Getenv("MODEL_NAME"), os.Getenv("OPENAI_API_KEY"), models.OpenAIOptions{})
	check(err)
	client, err := onebot.NewClient(env("ONEBOT_URL", "ws://127.0.0.1:3001"), onebot.Options{Token: os.Getenv("ONEBOT_TOKEN"), Logger: slog.Default()})
	check(err)
	o, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: "小炉", Aliases: []string{"炉炉"}, About: "爱看番的大学生，说话简短。"},
		Model:   model,
		Link:    onebotlink.New(client, onebotlink.Options{}),
		Hooks:   social.Hooks{Logger: slog.Default()},
	})
	check(err)
	bot, err := social.New(o)
	check(err)

	exporter, err := prometheus.New(prometheus.WithoutScopeInfo()) // in the registry that promhttp.Handler serves
	check(err)
	tel, err := telemetry.New(telemetry.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(exporter)), Provider: "deepseek"})
	check(err)
	defer tel.Observe("小炉", bot)()
	http.Handle("/metrics", promhttp.Handler())
	go func() { check(http.ListenAndServe(env("METRICS_ADDRESS", "127.0.0.1:9464"), nil)) }()
	check(bot.Run(ctx)) // until Ctrl-C
}

func env(name, preset string) string { return cmp.Or(os.Getenv(name), preset) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
