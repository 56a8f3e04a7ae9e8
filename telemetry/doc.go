// Package telemetry reports what a bot does to OpenTelemetry: a span for each turn, model call and tool call, and metrics for
// dashboards and alerts. It is a module of its own, so that a bot without it links nothing of OpenTelemetry.
//
// The package uses only the API of OpenTelemetry. The program chooses where the data goes, with the providers of the SDK:
//
//	exporter, err := prometheus.New() // go.opentelemetry.io/otel/exporters/prometheus
//	tel, err := telemetry.New(telemetry.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(exporter))})
//	defer tel.Observe("小炉", bot)()
//	err = bot.Run(ctx)
//
// The program in the folder example serves the metrics under /metrics. The file dashboard.json is a Grafana dashboard for them.
//
// # Names
//
// The names are those of OpenTelemetry's conventions for generative AI, version 1.42.0, as far as they have one. These conventions
// are not stable yet. Other names begin with "hearth.". The file names.go has all of them.
//
// # Privacy
//
// Metrics never name a chat or a person. Spans do so with Options.Chats, and contain what people and the model wrote with
// Options.Content. What is exported stays where it is when the bot erases a person's data.
//
// # Concurrency
//
// All methods may be called concurrently. The package starts no goroutine. Spans are made while the bot reports an event, so use a
// batching span processor.
package telemetry
