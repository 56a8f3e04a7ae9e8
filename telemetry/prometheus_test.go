package telemetry_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/hearth-bot/hearth/telemetry"
	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
)

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, url string) map[string]*dto.MetricFamily {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	require.NoError(t, err)
	return families
}

// exported serves the metrics of a bot to which everything has happened once.
func exported(t *testing.T) map[string]*dto.MetricFamily {
	registry := client.NewRegistry()
	exporter, err := prometheus.New(prometheus.WithoutScopeInfo(), prometheus.WithRegisterer(registry))
	require.NoError(t, err)
	tel, err := telemetry.New(telemetry.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(exporter))})
	require.NoError(t, err)
	bot := &replayed{}
	t.Cleanup(tel.Observe("小炉", bot))
	now := time.Now()
	for _, e := range turnEvents(1, now) {
		bot.event(e)
	}
	bot.event(trace.Event{At: now, Link: &trace.Link{Online: true, Self: persona.Account{Platform: "qq", ID: "1"}}})
	bot.event(trace.Event{At: now, Call: &trace.Call{Began: now, Failed: "no", ModelCall: heartflow.ModelCall{Purpose: "reply", Streamed: true, Attempts: []heartflow.ModelAttempt{{Model: "m", Error: "overloaded (503)"}}}}})
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	t.Cleanup(server.Close)
	return scrape(t, server.URL)
}

// The names of Prometheus are those of OpenTelemetry with the unit.
func TestPrometheus_Names(t *testing.T) {
	var got []string
	for name, f := range exported(t) {
		got = append(got, name+" "+strings.ToLower(f.GetType().String()))
	}
	slices.Sort(got)
	assert.Equal(t, []string{
		"gen_ai_client_operation_duration_seconds histogram", "gen_ai_client_operation_time_to_first_chunk_seconds histogram", "gen_ai_client_token_usage histogram",
		"gen_ai_execute_tool_duration_seconds histogram", "gen_ai_invoke_agent_duration_seconds histogram",
		"hearth_answer_latency_seconds histogram", "hearth_budget_used_ratio gauge", "hearth_decisions_total counter", "hearth_link_disconnects_total counter", "hearth_link_online gauge",
		"hearth_messages_dropped_total counter", "hearth_messages_received_total counter", "hearth_messages_sent_total counter", "hearth_model_failures_total counter",
		"hearth_queue_depth gauge", "hearth_send_failures_total counter", "hearth_send_unclear_total counter", "target_info gauge",
	}, got)
}

// Each metric and each label in dashboard.json is exported, and each metric of hearth is in dashboard.json.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	known, labels := map[string]bool{}, map[string]bool{"le": true}
	families := exported(t)
	for name, f := range families {
		known[name] = true
		if f.GetType() == dto.MetricType_HISTOGRAM {
			known[name+"_bucket"], known[name+"_sum"], known[name+"_count"] = true, true, true
		}
		for _, m := range f.Metric {
			for _, l := range m.Label {
				labels[l.GetName()] = true
			}
		}
	}
	word := regexp.MustCompile(`\b(hearth|gen_ai|error)_[a-z_]+`)
	used := map[string]bool{}
	for _, p := range dashboard.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			metrics := 0
			for _, w := range word.FindAllString(target.Expr+" "+target.LegendFormat, -1) {
				assert.True(t, known[w] || labels[w], "%s: %s is not exported", p.Title, w)
				if known[w] {
					used[w] = true
					metrics++
				}
			}
			assert.Equal(t, 1, metrics, "%s: %s", p.Title, target.Expr)
		}
	}
	for name := range families {
		if name != "target_info" {
			assert.True(t, used[name] || used[name+"_bucket"] || used[name+"_sum"] || used[name+"_count"], "%s is in no panel", name)
		}
	}
}
